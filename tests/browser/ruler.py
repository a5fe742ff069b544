"""Whether words fit where they stand: what runs off a page, is cut by its box, or is too small.

Measured on the letters themselves, so that an ornament which is meant to be cut (a symbol
behind a place of the mat) does not count, and an ellipsis does.
"""

from __future__ import annotations

LEAST_PX = 44  # of anything that a finger must hit, in either direction

# Letters are compared with every box above them that hides what runs out of it. What can be
# scrolled to is not lost downwards; sideways nobody looks for it, so only a region that is
# meant to be scrolled (`data-wide`) may be wider than it shows.
# What is told in full elsewhere may be abridged to the lines that fit (`data-abridged`).
OVERFLOW = """least => {
  const slack = 1.5;
  const faults = [];
  const say = (what, text) =>
    faults.push(`${what}: ${text.trim().replace(/\\s+/g, " ").slice(0, 60)}`);
  const dialog = document.querySelector("dialog[open]");
  const root = dialog ?? document.body;
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) {
    const over = [...root.querySelectorAll("*")].filter(
      (box) => box.getBoundingClientRect().right > innerWidth + slack).slice(0, 3);
    const names = over.map((box) => `${box.tagName}.${box.className}`);
    say("the page scrolls sideways", names.join(" "));
  }
  if (dialog && dialog.scrollWidth > dialog.clientWidth) say("the sheet scrolls sideways", "");
  const boxes = ".button, .tile, .tag, .figure, .chip, .panel, kbd, li, td, th";
  const silent = ".sr, svg, title, script, [data-abridged]";
  const seen = (box) => box.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const letters = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (letters.nextNode()) {
    const node = letters.currentNode, holder = node.parentElement;
    if (!node.data.trim() || !seen(holder) || holder.closest(silent)) continue;
    if (parseFloat(getComputedStyle(holder).textIndent) > 0) continue; // drawn as a dot
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (!text.width) continue;
    // A line is taller than its letters.
    const lead = 0.35 * parseFloat(getComputedStyle(holder).fontSize);
    for (let box = holder; box && box !== document.documentElement; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.display === "inline" || style.display === "contents") continue;
      const edge = box.getBoundingClientRect();
      const sideways = text.right > edge.right + slack || text.left < edge.left - slack;
      if (style.overflowX !== "visible" && sideways && !box.matches("[data-wide]")) {
        say(`cut by ${box.tagName}.${box.className}`, node.data);
        break;
      }
      const below = text.bottom > edge.bottom + lead || text.top < edge.top - lead;
      if (["hidden", "clip"].includes(style.overflowY) && below) {
        say(`cut off by ${box.tagName}.${box.className}`, node.data);
        break;
      }
      if (box.matches(boxes) && (sideways || (below && style.overflowY === "visible"))) {
        say(`runs out of ${box.tagName}.${box.className}`, node.data);
        break;
      }
      if (["auto", "scroll"].includes(style.overflowY) || style.position === "fixed") break;
    }
  }
  const targets =
    "button, .button, summary, .tile > span, select, input:not([type=hidden], .tile input)";
  for (const box of root.querySelectorAll(targets)) {
    const { width, height } = box.getBoundingClientRect();
    if (!seen(box) || !width || box.closest(".sr, label:not(.field)")) continue;
    if (width >= least - 0.5 && height >= least - 0.5) continue;
    const size = `${Math.round(width)} x ${Math.round(height)}`;
    say(`too small (${size})`, box.textContent || box.name || box.className);
  }
  return [...new Set(faults)];
}"""


def measure(page) -> list[str]:
    """What does not fit on a page as it is now, in words."""
    return page.evaluate(OVERFLOW, LEAST_PX)
