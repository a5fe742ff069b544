// The print button of the summary; without scripts the browser's own does the same.
document.querySelector("[data-print]")?.addEventListener("click", () => window.print());
