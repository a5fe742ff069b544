"""Cubes drawn flat and tipped under a camera whose place is known."""

import cv2
import numpy as np

from vision.leaning import Standing
from vision.leaning_support import Neighbour
from vision.settings_leaning import LeaningSettings
from vision.squares import Square
from vision.tray import Tray

SIZE = 16.0
SHADES = {"top": 205, "near": 120, "far": 95, "left": 140, "right": 110}


def tray(shift):
    """Seen from about 600 mm; ``shift`` moves the picture's middle, and with it the camera."""
    corners = np.array([[176, 132], [976, 132], [976, 732], [176, 732]], np.float32) + shift
    return Tray.calibrate([np.full((864, 1152, 3), 60, np.uint8)], corners, (200.0, 150.0))


def cube(tip, yaw, at):
    """Faces of a cube tipped by ``tip`` degrees about a lower edge, (4, 3) corners each."""
    h = SIZE / 2
    level = np.array([[-h, -h], [h, -h], [h, h], [-h, h]])
    low = np.column_stack([level, np.zeros(4)])
    high = np.column_stack([level, np.full(4, SIZE)])
    points = np.vstack([low, high])
    t, y = np.deg2rad(tip), np.deg2rad(yaw)
    points[:, 0] += h
    out = points[:, 0] * np.cos(t) - points[:, 2] * np.sin(t) - h
    up = points[:, 0] * np.sin(t) + points[:, 2] * np.cos(t)
    across = points[:, 1]
    x = at[0] + out * np.cos(y) - across * np.sin(y)
    z = at[1] + out * np.sin(y) + across * np.cos(y)
    points = np.column_stack([x, z, up])
    sides = {"near": (0, 1, 5, 4), "right": (1, 2, 6, 5), "far": (2, 3, 7, 6), "left": (3, 0, 4, 7)}
    return {name: points[list(ids)] for name, ids in {**sides, "top": (4, 5, 6, 7)}.items()}


def drawn(tip, yaw=25.0, at=(90.0, 80.0), shift=(0, 0)):
    """The rectified picture, its tray, and the top face's corners in it."""
    scene = tray(np.float32(shift))
    view, s = scene.viewpoint, scene.settings
    eye = np.array([view.x, view.y, view.z])
    picture = scene.empty.copy()
    seen = {}
    for name, face in cube(tip, yaw, at).items():
        rays = eye + (face - eye) * (eye[2] / (eye[2] - face[:, 2:]))
        seen[name] = ((rays[:, :2] + s.rim) * s.scale).astype(np.float32)
        inside = np.cross(face[1] - face[0], face[2] - face[1])
        outward = inside if inside @ (face.mean(0) - cube_middle(tip, yaw, at)) > 0 else -inside
        if outward @ (eye - face.mean(0)) > 0:
            cv2.fillConvexPoly(picture, np.int32(np.rint(seen[name])), (SHADES[name],) * 3)
    return cv2.GaussianBlur(picture, (0, 0), 0.8), scene, seen["top"]


def cube_middle(tip, yaw, at):
    return np.mean([face.mean(0) for face in list(cube(tip, yaw, at).values())[:4]], axis=0)


def neighbour(tip, yaw=25.0, at=(90.0, 80.0), way=0.0, gap=0.5, size=SIZE):
    """A die of ``size`` that stands ``gap`` mm from a die's side, or from its raised edge."""
    reach = SIZE * np.cos(np.deg2rad(tip)) if way == 0 else SIZE
    middle = np.array([reach + gap + (size - SIZE) / 2, 0.0])
    turn = np.deg2rad(yaw + way)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    h = size / 2
    corners = np.array([[-h, -h], [h, -h], [h, h], [-h, h]]) + middle
    return Neighbour((corners @ spin.T + at).astype(np.float32), size)


def standing(tip, shown, beside, stretch=1.0, **where):
    """What the reader knows of a die tipped by ``tip`` degrees, its print seen if ``shown``."""
    picture, scene, top = drawn(tip, **where)
    middle = top.mean(axis=0)
    along = top[1] - top[0]
    turn = float(np.rad2deg(np.arctan2(along[1], along[0])))
    side = SIZE * scene.enlargement(SIZE) * scene.settings.scale
    face = Square(float(middle[0]), float(middle[1]), side, turn, 1.0).corners
    solid = np.uint8(np.abs(picture.astype(int) - scene.empty).max(axis=2) > 8) * np.uint8(255)
    shown_at = top if shown else None
    s = LeaningSettings()
    return Standing(picture, solid, solid, face, shown_at, stretch, SIZE, scene, beside, s)
