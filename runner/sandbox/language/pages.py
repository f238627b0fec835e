"""Pages: Jinja2 templates, which are compiled to modules that define a function.

The function has the module's name; it takes what the template may use by name, and returns a
`Response`.
"""

from __future__ import annotations

import ast
import codecs
import importlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from types import CodeType
from typing import Any

from jinja2 import Environment, TemplateRuntimeError, TemplateSyntaxError, Undefined, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.parser import Parser
from jinja2.runtime import Context, new_context
from jinja2.utils import Namespace

# Names that each template may use, unless the caller gives others.
REQUEST = {"method": "GET", "path": "", "query": {}, "form": {}, "request_id": "", "visitor": ""}
RESPONSE, DATA, COMMANDS = "response", "data", "commands"

_LOADING = (nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)
_NO_LOADING = "pages have no files; call the page or function instead: {{ Name() }}"
_MODULE = """
from runner.sandbox.language.pages import define_page as __define_page__
def __template__(environment):
    return root, blocks
{name} = __define_page__({name!r}, __template__, globals())
__all__ = [{name!r}]
"""

Root = Callable[[Context], Iterator[str]]
Template = Callable[[Environment], tuple[Root, dict[str, Root]]]


class InvalidTemplate(ValueError):
    """The template can't be compiled, because of this line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message, self.line = message, line


class Commands:
    """The changes that a page asks for, in order; the site makes them afterwards."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def add(self, collection: str, value: Any) -> None:
        """Add an item."""
        self.asked.append({"add": collection, "value": value})

    def change(self, collection: str, item: int, version: int, patch: Any) -> None:
        """Change members of an item, unless it has another version by then; null removes one."""
        self.asked.append({"change": collection, "id": item, "version": version, "patch": patch})

    def delete(self, collection: str, item: int, version: int) -> None:
        """Delete an item, unless it has another version by then."""
        self.asked.append({"delete": collection, "id": item, "version": version})

    def revise(self, document: str, patch: Any) -> None:
        """Change members of a document, unless it is another one by then; null removes one."""
        self.asked.append({"revise": document, "patch": patch})

    def extend(self, commands: Iterable[dict[str, Any]]) -> None:
        """Ask for changes that a function has returned, as dicts like those of these methods."""
        self.asked.extend(commands)


class Response:
    """An answer of a page; in another page, it stands for its text."""

    __slots__ = ("commands", "content_type", "data", "location", "status", "text")

    def __init__(self, text: str, data: Any, commands: list[dict[str, Any]], given: Any) -> None:
        self.text, self.data, self.commands = text, data, commands
        self.status, self.content_type, self.location = (
            _checked(given, name, kind)
            for name, kind in (("status", int), ("content_type", str), ("location", str))
        )
        if self.location and self.status == HTTPStatus.OK:
            self.status = HTTPStatus.SEE_OTHER.value
        if not HTTPStatus.OK <= self.status < 600:
            raise TemplateRuntimeError("response.status must be a number from 200 to 599")

    def __html__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text


class _Generator(CodeGenerator):
    """Evaluates no expression at compilation, which has other limits than a run."""

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        if not isinstance(node, nodes.TemplateData):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)


# Modules that Jinja2 would load later, when files can't be read any more.
codecs.lookup("unicode-escape")
importlib.import_module("jinja2.constants")
_environment = Environment(
    autoescape=True, optimized=False, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"]
)


def compile_page(source: str, *, name: str) -> CodeType:
    """Compile a template to a module; its lines are those of the template.

    Raises InvalidTemplate, and RecursionError if it is nested too deeply.
    """
    try:
        template = Parser(_environment, source).parse()
        _check(template)
        generator = _Generator(_environment, name, None, optimized=False)
        generator.visit(template)
    except TemplateSyntaxError as error:
        raise InvalidTemplate(error.message or "invalid syntax", error.lineno) from None
    module = ast.parse(_MODULE.format(name=name), name)
    body = ast.parse(generator.stream.getvalue(), name)  # type: ignore[attr-defined]
    _set_lines(module, [])
    _set_lines(body, generator.debug_info)
    [function] = (node for node in module.body if isinstance(node, ast.FunctionDef))
    function.body[:0] = body.body
    return compile(module, name, "exec", dont_inherit=True)


def define_page(name: str, template: Template, module: dict[str, Any]) -> Callable[..., Response]:
    """Return the function of a page, which uses the names of its module."""
    root, blocks = template(_environment)
    blocks_by_name: Any = blocks

    def page(**given: Any) -> Response:
        names = {key: thing for key, thing in module.items() if not key.startswith("__")}
        response = Namespace(status=200, content_type="text/html", location="")
        commands = Commands()
        context = new_context(
            _environment,
            name,
            blocks_by_name,
            vars=REQUEST | given | {RESPONSE: response, COMMANDS: commands},
            globals=_environment.globals | names,
        )
        text = _environment.concat(root(context))
        data = context.vars.get(DATA)
        data = None if isinstance(data, Undefined) else data
        return Response(text, data, commands.asked, response)

    page.__name__ = page.__qualname__ = name
    return page


def _check(template: nodes.Template) -> None:
    """Raise InvalidTemplate for what can't work, or would be evaluated at compilation."""
    for node in template.find_all(_LOADING):
        raise InvalidTemplate(_NO_LOADING, node.lineno)
    for modifier in template.find_all(nodes.EvalContextModifier):
        if not all(isinstance(option.value, nodes.Const) for option in modifier.options):
            raise InvalidTemplate("`autoescape` takes true or false", modifier.lineno)


def _set_lines(tree: ast.Module, places: list[tuple[int, int]]) -> None:
    """Replace lines of generated code by those of the template, given in order of the code."""
    starts = [line for _, line in places]
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.excepthandler | ast.arg | ast.keyword):
            index = bisect_right(starts, node.lineno)
            node.lineno = node.end_lineno = places[index - 1][0] if index else 1
            node.col_offset = node.end_col_offset = 0


def _checked(given: Any, name: str, kind: type) -> Any:
    value = getattr(given, name)
    if type(value) is not kind:
        raise TemplateRuntimeError(f"response.{name} must be a {kind.__name__}, not {value!r:.80}")
    return value
