import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from haustra.core import poses

angle = st.floats(-1.5, 1.5)
length = st.floats(-100, 100)


@given(st.tuples(angle, angle, angle), st.tuples(length, length, length))
def test_round_trips(angles: tuple[float, ...], translation: tuple[float, ...]) -> None:
    T = np.eye(4)
    T[:3, :3] = poses.euler_to_matrix(np.array(angles))
    T[:3, 3] = translation
    np.testing.assert_allclose(poses.invert(T) @ T, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(poses.matrix_to_euler(T[:3, :3]), angles, atol=1e-9)
    np.testing.assert_allclose(
        poses.from_translation_quaternion(*poses.to_translation_quaternion(T[None]))[0], T, atol=1e-12
    )


def test_euler_order_is_the_papers() -> None:
    x, y, z = 0.3, -0.2, 0.5
    Rx = np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])
    Ry = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    Rz = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
    np.testing.assert_allclose(poses.euler_to_matrix(np.array([x, y, z])), Rx @ Ry @ Rz, atol=1e-15)
