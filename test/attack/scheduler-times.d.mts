export function readSchedulerTimes(pid: number): { ran_ms: number; waited_ms: number }
export function isWaitingForDisk(pid: number): boolean
