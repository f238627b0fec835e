"""The handlers of the machinery's own steps."""

from runner.batches.paged_load import LOAD, fail_loading, finish_loading, load_page
from runner.batches.reruns import TASKS, read_tasks
from runner.pipelines.fan_out import PAGE_JOB, run_page_job
from runner.registry import Handlers, Step, for_each_target

HANDLERS = Handlers(
    follow_ups={PAGE_JOB: for_each_target(run_page_job)},
    sources={TASKS: read_tasks},
    steps={LOAD: Step(load_page, finish_loading, fail_loading)},
)
