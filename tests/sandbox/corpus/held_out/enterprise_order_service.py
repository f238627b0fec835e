"""Order service with repositories, DTOs, services and an IoC-ish container."""
from __future__ import annotations

import abc, dataclasses, enum, itertools, logging, sys, uuid
import datetime as dt
import typing as t

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)-8s %(name)s: %(message)s", force=True)
logger = logging.getLogger("orders")

TEntity = t.TypeVar("TEntity", bound="Entity")
TId = t.NewType("TId", int)


class OrderStatus(enum.Enum):
    DRAFT = enum.auto()
    PLACED = enum.auto()
    SHIPPED = enum.auto()


@dataclasses.dataclass(kw_only=True)
class Entity:
    id: TId | None = None
    created_at: dt.datetime = dataclasses.field(
        default_factory=lambda: dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc), repr=False
    )


@dataclasses.dataclass(kw_only=True)
class OrderLine:
    sku: str
    quantity: int
    unit_price_cents: int

    @property
    def total_cents(self) -> int:
        return self.quantity * self.unit_price_cents


@dataclasses.dataclass(kw_only=True)
class Order(Entity):
    customer: str
    lines: list[OrderLine] = dataclasses.field(default_factory=list)
    status: OrderStatus = OrderStatus.DRAFT
    reference: uuid.UUID = dataclasses.field(
        default_factory=lambda: uuid.uuid5(uuid.NAMESPACE_DNS, "orders.example"), repr=False)

    @property
    def total_cents(self) -> int:
        return sum(line.total_cents for line in self.lines)


class Repository(abc.ABC, t.Generic[TEntity]):
    @abc.abstractmethod
    def add(self, entity: TEntity) -> TEntity: ...

    @abc.abstractmethod
    def get(self, entity_id: TId) -> TEntity: ...

class EntityNotFoundError(LookupError):
    def __init__(self, entity_id: TId) -> None:
        super().__init__(f"entity {entity_id} not found")


class InMemoryRepository(Repository[TEntity]):
    def __init__(self) -> None:
        self._items: dict[TId, TEntity] = {}
        self._ids = itertools.count(1)

    def add(self, entity: TEntity) -> TEntity:
        entity.id = TId(next(self._ids))
        self._items[entity.id] = entity
        return entity

    def get(self, entity_id: TId) -> TEntity:
        try:
            return self._items[entity_id]
        except KeyError as exc:
            raise EntityNotFoundError(entity_id) from exc


class Notifier(t.Protocol):
    def notify(self, customer: str, message: str) -> None: ...


class LoggingNotifier:
    def __init__(self, log: logging.Logger = logger) -> None:
        self._log = log.getChild("notify")

    def notify(self, customer: str, message: str) -> None:
        self._log.info("%s <- %s", customer, message)


class OrderService:
    _TRANSITIONS: t.ClassVar[dict[OrderStatus, OrderStatus]] = {
        OrderStatus.DRAFT: OrderStatus.PLACED, OrderStatus.PLACED: OrderStatus.SHIPPED,
    }

    def __init__(self, repository: Repository[Order], notifier: Notifier) -> None:
        self._repository = repository
        self._notifier = notifier

    def create(self, customer: str, *lines: tuple[str, int, int]) -> Order:
        order = Order(customer=customer, lines=[
            OrderLine(sku=s, quantity=q, unit_price_cents=p) for s, q, p in lines])
        logger.debug("not shown")
        return self._repository.add(order)

    def advance(self, order_id: TId) -> OrderStatus:
        order = self._repository.get(order_id)
        try:
            order.status = self._TRANSITIONS[order.status]
        except KeyError:
            logger.warning("order %d is already %s", order_id, order.status.name)
            raise
        self._notifier.notify(order.customer, f"order {order_id} is {order.status.name.lower()}")
        return order.status


class Container:
    def __init__(self) -> None:
        self._factories: dict[type, t.Callable[[Container], t.Any]] = {}

    def register(self, key: type, factory: t.Callable[[Container], t.Any]) -> Container:
        self._factories[key] = factory
        return self

    def resolve(self, key: type[TEntity]) -> t.Any:
        return self._factories[key](self)


container = (
    Container()
    .register(Notifier, lambda c: LoggingNotifier())
    .register(OrderService, lambda c: OrderService(InMemoryRepository(), c.resolve(Notifier)))
)
service: OrderService = container.resolve(OrderService)
order = service.create("ann", ("apple", 3, 50), ("pear", 1, 75))
assert order.total_cents == 225 and order.id == 1
assert service.advance(order.id) is OrderStatus.PLACED
assert service.advance(order.id) is OrderStatus.SHIPPED
for action in (lambda: service.advance(order.id), lambda: service.advance(TId(99))):
    try:
        action()
    except LookupError as e:
        logger.error("%s: %s", type(e).__name__, e)
print(order, order.reference.version)
