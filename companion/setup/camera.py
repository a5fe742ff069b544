"""Choosing the camera, and a look at its light and focus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from companion.auth import KeyValues
from companion.rules.model import Line
from companion.setup.lookout import Lookout
from companion.setup.model import CameraChoice, LightView, SetupRefused
from hardware.camera import CameraError
from hardware.found import FoundCamera
from vision.light import Light, Trouble, look
from vision.patch import Quad
from vision.settings_light import LightSettings

NONE = "disabled"
_CHOSEN = "camera"
_SHARP = 1.3  # edge width of a picture that could not be sharper, in pixels


def chosen_camera(named: str, store: KeyValues) -> str:
    """The camera the settings name, else the one chosen on the screen."""
    return named if named != NONE else store.get_setting(_CHOSEN) or NONE


class Cameras:
    """``named`` is the settings' camera, ``find`` lists what is plugged in."""

    def __init__(
        self,
        lookout: Lookout,
        store: KeyValues,
        named: str,
        find: Callable[[], Sequence[FoundCamera]],
        corners: Callable[[], Quad | None],
    ) -> None:
        self._lookout = lookout
        self._store = store
        self._named = named
        self._find = find
        self._corners = corners

    @property
    def setting(self) -> str:
        """The camera in use, ``disabled`` for none."""
        return self._lookout.setting

    @property
    def fixed(self) -> bool:
        """Whether the settings name the camera, so that no other can be chosen here."""
        return self._named != NONE

    def choices(self) -> tuple[CameraChoice, ...]:
        """What was found now, and none."""
        if self.fixed:
            return (CameraChoice(self._named, self._named, True),)
        found = {camera.setting: camera.name for camera in self._find()}
        if self.setting != NONE:
            found.setdefault(self.setting, "not plugged in")
        named = [CameraChoice(s, name, s == self.setting) for s, name in found.items()]
        return (*named, CameraChoice(NONE, "", self.setting == NONE))

    def choose(self, setting: str) -> None:
        """Use another camera from now on. Raises SetupRefused; the present one is kept."""
        if self.fixed:
            raise SetupRefused("fixed", "The settings file names the camera; change it there.")
        if setting not in {choice.setting for choice in self.choices()}:
            raise SetupRefused("gone", "This camera is not there any more; look again.")
        try:
            self._lookout.use(setting)
        except CameraError as fault:
            raise SetupRefused("camera", fault.text, **fault.values) from fault
        self._store.set_setting(_CHOSEN, setting)

    def light(self) -> LightView | None:
        """Light and focus of the newest picture; None without one."""
        frames = self._lookout.newest()
        if not frames:
            return None
        picture = frames[-1].bgr
        height, width = picture.shape[:2]
        seen = look(picture, self._corners())
        spots = tuple((float(x), float(y), float(w), float(h)) for x, y, w, h in seen.spots)
        lines = tuple(_said(trouble, seen) for trouble in seen.troubles)
        return LightView((width, height), seen.level, lines, spots, _focus(seen))


def _focus(seen: Light) -> int | None:
    """100 for the sharpest picture, 0 for one twice as soft as what is still fit to read."""
    if seen.width is None:
        return None
    softest = 2 * LightSettings().blurred
    share = (softest - seen.width) / (softest - _SHARP)
    return round(100 * min(max(share, 0.0), 1.0))


def _said(trouble: Trouble, seen: Light) -> Line:
    match trouble:
        case Trouble.DARK:
            return Line(
                "Too dark: {level} of 255. Turn the lamp towards the tray, or bring it closer.",
                {"level": seen.level},
            )
        case Trouble.BRIGHT:
            return Line("Too bright: the camera is dazzled. Turn the lamp away or dim it.")
        case Trouble.UNEVEN:
            return _one_sided(seen)
        case Trouble.GLARE:
            return Line("Glare where the picture is marked: tilt or move the lamp until it goes.")
        case Trouble.BLURRED:
            return Line("Blurred: wipe the lens, or turn the focus ring until the bar is full.")


def _one_sided(seen: Light) -> Line:
    times = {"times": f"{seen.ratio:.1f}"}
    match seen.brighter:
        case "left":
            return Line("The left side is {times} times as bright; move the lamp right.", times)
        case "right":
            return Line("The right side is {times} times as bright; move the lamp left.", times)
        case "far":
            return Line("The far side is {times} times as bright; move the lamp nearer.", times)
        case _:
            return Line("The near side is {times} times as bright; move the lamp back.", times)
