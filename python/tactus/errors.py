"""What calls raise. Every error has the library's text, and the status, kind and id that came with it."""

from typing import Any

from tactus.enums import Kind, Status

__all__ = [
    "ArgumentError",
    "CapacityError",
    "ElementError",
    "Error",
    "FileError",
    "InconsistentError",
    "ModelError",
    "NonfiniteError",
    "ShapeError",
    "SingularError",
    "StoppedError",
    "UnsolvedError",
    "UnsolvedWarning",
    "UnsupportedError",
]


class Error(Exception):
    """A call of the library failed.

    status: the C status. kind, id: the element in error, or Kind.NONE and -1. result: what the call returned with the
    status, or None.

    >>> try:
    ...     tac.load("missing.xml")
    ... except tac.Error as error:
    ...     print(error.status.name)
    FILE
    """

    status: Status = Status.ARGUMENT
    kind: Kind = Kind.NONE
    id: int = -1
    result: Any = None

    @property
    def state(self) -> Any:
        """The state that came with the status: of a step its y, of a rollout its states."""
        return self.result[0] if isinstance(self.result, tuple) else self.result


class ArgumentError(Error, ValueError):
    """An argument or option is missing or out of range.

    >>> issubclass(tac.ArgumentError, ValueError)
    True
    """


class ShapeError(Error, ValueError):
    """An array has another shape than the call expects.

    >>> try:
    ...     sim.step([1.0])
    ... except tac.ShapeError as error:
    ...     print(error)
    x has shape (1,), expected (37,)
    """


class CapacityError(Error, MemoryError):
    """There is too little memory, or room for contacts.

    >>> issubclass(tac.CapacityError, MemoryError)
    True
    """


class FileError(Error, OSError):
    """A file cannot be read, written, or understood.

    >>> issubclass(tac.FileError, OSError)
    True
    """


class UnsupportedError(Error, NotImplementedError):
    """The model or call asks for what the library does not have.

    >>> issubclass(tac.UnsupportedError, NotImplementedError)
    True
    """


class ModelError(Error, ValueError):
    """A model makes no sense, or its packed bytes are damaged or of another version.

    >>> try:
    ...     tac.Model.unpack(b"nothing")
    ... except tac.ModelError as error:
    ...     print("refused")
    refused
    """


class ElementError(Error, LookupError):
    """There is no element or parameter of that name.

    >>> try:
    ...     model["body/nobody.mass"]
    ... except tac.ElementError as error:
    ...     print("refused")
    refused
    """


class NonfiniteError(Error, ArithmeticError):
    """A number is not finite.

    >>> issubclass(tac.NonfiniteError, ArithmeticError)
    True
    """


class SingularError(Error, ArithmeticError):
    """A system is singular, or a derivative does not exist.

    >>> issubclass(tac.SingularError, ArithmeticError)
    True
    """


class UnsolvedError(Error, ArithmeticError):
    """A step ended without a solution. Where there is a state all the same, it is in `state`.

    >>> issubclass(tac.UnsolvedError, ArithmeticError)
    True
    """


class InconsistentError(Error, ValueError):
    """A state breaks its constraints.

    >>> issubclass(tac.InconsistentError, ValueError)
    True
    """


class StoppedError(Error):
    """A call was stopped by another thread, or by an error of its policy.

    >>> issubclass(tac.StoppedError, tac.Error)
    True
    """


class UnsolvedWarning(UserWarning):
    """A step ended without a solution, with on_unsolved="warn".

    >>> issubclass(tac.UnsolvedWarning, UserWarning)
    True
    """


FAMILIES: dict[str, type[Error]] = {
    "ARGUMENT": ArgumentError,
    "OPTIONS": ArgumentError,
    "SHAPE": ShapeError,
    "MEMORY": CapacityError,
    "ARENA_FULL": CapacityError,
    "CONTACTS": CapacityError,
    "FILE": FileError,
    "SYNTAX": FileError,
    "UNSUPPORTED": UnsupportedError,
    "MODEL": ModelError,
    "VERSION": ModelError,
    "CHECKSUM": ModelError,
    "NAME": ElementError,
    "NONFINITE": NonfiniteError,
    "SINGULAR": SingularError,
    "DEGENERATE": SingularError,
    "UNSOLVED": UnsolvedError,
    "IMPACTS": UnsolvedError,
    "INNER_STEP": UnsolvedError,
    "INNER_MAX": UnsolvedError,
    "EVENTS": UnsolvedError,
    "INCONSISTENT": InconsistentError,
    "STOPPED": StoppedError,
}


def make(status: int, kind: int, id: int, text: str) -> Error:
    """The exception of a failed call; the extension raises it."""
    number = Status(status)
    error = FAMILIES.get(number.name, Error)(text)
    error.status, error.kind, error.id = number, Kind(kind), id
    return error
