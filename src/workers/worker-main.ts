import { Failure } from '../failure/failure.ts'
import { type TaskRequest, TASKS, type WorkerMessage } from './tasks.ts'

/** The program of a process of `WorkerPool`. It works on one task at a time and ends with the daemon. */
process.on('message', (request: TaskRequest) => void work(request))
process.on('disconnect', () => process.exit())

const send = (message: WorkerMessage): void => void process.send?.(message)

async function work({ name, input }: TaskRequest): Promise<void> {
  try {
    const run = TASKS[name] as (given: unknown, report: (progress: unknown) => void) => unknown
    const output = await run(input, (progress) => send({ kind: 'progress', progress }))
    send({ kind: 'done', output })
  } catch (error) {
    send({ kind: 'failed', ...describeError(error) })
  }
}

function describeError(error: unknown): Omit<Extract<WorkerMessage, { kind: 'failed' }>, 'kind'> {
  if (!(error instanceof Failure)) return { error: error instanceof Error ? error : new Error(String(error)) }
  const { code, message, details } = error
  return { error: new Error(message), failure: { code, message, ...(details && { details: { ...details } }) } }
}
