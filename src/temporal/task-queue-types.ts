/** temporal.api.enums.v1.TaskQueueType, for `describeTaskQueue`. */
import proto from '@temporalio/proto';

const { TaskQueueType } = proto.temporal.api.enums.v1;

export const TASK_QUEUE_TYPES = {
  workflow: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  activity: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
} as const;
