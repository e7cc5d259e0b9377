import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Call } from '@apprentice/contracts/client.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import {
  createExecution,
  type ExecutionRecord,
  getExecution,
} from '@apprentice/contracts/devices/executions.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import {
  connect,
  type ConnectionOptions,
  print,
  report,
  withConnection,
} from './terminal/connection.ts'
import { exitCodes } from './terminal/exit-codes.ts'
import { ProgressLine } from './terminal/progress-line.ts'

type ExecOptions = ConnectionOptions & {
  readonly serial?: string
  readonly wait?: number
  readonly dryRun?: boolean
  readonly validate?: boolean
  readonly again?: boolean
}

const pollMs = 100

export function addExecCommand(program: Command): void {
  withConnection(
    program
      .command('exec <file>')
      .description('run actions on a device; exit code 1 when the result is a failure'),
  )
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option(
      '--wait <ms>',
      'how long to wait for the result (default: until it is there)',
      milliseconds,
    )
    .option('--dry-run', 'only show what would be done')
    .option('--validate', 'only check the payload')
    .option('--again', 'run it again under a new commandId')
    .addHelpText('after', fileHelp)
    .action((file: string, options: ExecOptions) => report(() => execute(file, options)))
}

const fileHelp = `
<file> holds JSON, - reads it from standard input: a whole payload, {"execution": ..., "serial": ...},
or just {"actions": [...]}; what such a payload needs beside the actions is filled in.`

async function execute(file: string, options: ExecOptions): Promise<void> {
  const call = connect(options)
  const body = requestOf(await readDocument(file), options)
  const askedAt = new Date().toISOString()
  const reply = await call(createExecution, { body })
  if (!('schema_version' in reply)) return showCheck(options, reply)
  const { execution } = reply
  if (execution.settled_at !== undefined && execution.settled_at < askedAt) {
    process.stderr.write(
      `This commandId was run before, at ${execution.queued_at}; this is its result. --again runs it again.\n`,
    )
  }
  const last = await follow(call, execution, options)
  if (options.json === true) print(options, { execution: last }, () => '')
  else process.stdout.write(`${verdict(last)}\n`)
  if (last.envelope?.status === 'failed') process.exitCode = exitCodes.problem
}

async function readDocument(file: string): Promise<unknown> {
  const words = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  try {
    return JSON.parse(words)
  } catch (error) {
    throw new Error(
      `${file === '-' ? 'The input' : file} is not JSON: ${(error as Error).message}`,
      {
        cause: error,
      },
    )
  }
}

/** The request a document asks for; the options beside it win. */
export function requestOf(document: unknown, options: Omit<ExecOptions, 'wait'>) {
  const wrapped = isRecord(document) && 'execution' in document
  const beside = wrapped ? document : {}
  const payload = wrapped
    ? document['execution']
    : Array.isArray(document)
      ? { actions: document }
      : document
  const given = beside['serial']
  const serial = options.serial ?? (typeof given === 'string' ? given : undefined)
  return {
    ...beside,
    execution: filledIn(payload, options.again === true),
    ...(serial === undefined ? {} : { serial }),
    wait_ms: 0,
    dry_run: options.dryRun === true,
    validate_only: options.validate === true,
  }
}

/** Only what is missing under every spelling it may have. */
function filledIn(payload: unknown, again: boolean): unknown {
  if (!isRecord(payload)) return payload
  const { commandId: _c, command_id: _d, ...rest } = payload
  const kept = again ? rest : payload
  const defaults: readonly (readonly [string, string, unknown])[] = [
    ['commandId', 'command_id', randomUUID()],
    ['taskId', 'task_id', 'command-line'],
    ['source', 'source', 'command-line'],
    ['expectedFormat', 'expected_format', 'android-ui-automator'],
    ['timeoutMs', 'timeout_ms', 60_000],
  ]
  const missing = defaults.filter(([name, alias]) => !(name in kept) && !(alias in kept))
  return { ...kept, ...Object.fromEntries(missing.map(([name, , value]) => [name, value])) }
}

function showCheck(options: ExecOptions, reply: object): void {
  print(options, reply, () =>
    'plan' in reply ? JSON.stringify(reply.plan, null, 2) : 'The payload is valid.',
  )
}

/** Asks until the execution has ended or the wait is over, and tells of each step that is done. */
async function follow(
  call: Call,
  first: ExecutionRecord,
  { wait, json }: ExecOptions,
): Promise<ExecutionRecord> {
  const startedMs = Date.now()
  const progress = new ProgressLine()
  const say = (line: string) => {
    progress.clear()
    ;(json === true ? process.stderr : process.stdout).write(`${line}\n`)
  }
  let told = 0
  for (let record = first; ;) {
    for (const line of stepLines(record).slice(told)) say(line)
    told = Math.max(told, stepLines(record).length)
    const elapsedMs = Date.now() - startedMs
    const over = wait !== undefined && elapsedMs >= wait
    if (record.settled_at !== undefined || over) {
      progress.clear()
      return record
    }
    progress.show(underWay(record), `${(elapsedMs / 1000).toFixed(1)} s`)
    await sleep(pollMs)
    const { execution_id: executionId } = record
    record = (await call(getExecution, { params: { executionId } })).execution
  }
}

/** While it runs, a step is known to have gone well once a later one has begun: the first failure ends it all. */
function stepLines({ execution, envelope, current_step_id }: ExecutionRecord): string[] {
  const { actions } = execution
  const total = actions.length
  if (envelope !== undefined) {
    return envelope.stepResults.map((step, at) => stepLine(step, at, total))
  }
  const begun = actions.findIndex(({ id }) => id === current_step_id)
  return actions
    .slice(0, Math.max(0, begun))
    .map(({ id, type }, at) =>
      stepLine({ id, actionType: type, success: true, data: {} }, at, total),
    )
}

function stepLine(
  { id, actionType, success, outcome, data }: StepResult,
  at: number,
  total: number,
) {
  const mark = success ? 'ok  ' : outcome === 'skipped' ? 'skip' : 'FAIL'
  const why =
    success || outcome === 'skipped' ? '' : `  ${data['error'] ?? ''} ${data['message'] ?? ''}`
  return `${mark} ${at + 1}/${total} ${actionType} ${id}${why}`.trimEnd()
}

function underWay({ state, current_step_id, execution, completed_steps }: ExecutionRecord): string {
  if (state === 'queued') return 'waiting for the device'
  const step = execution.actions.find(({ id }) => id === current_step_id)
  const total = execution.actions.length
  return `step ${Math.min(completed_steps + 1, total)} of ${total}: ${step?.type ?? 'starting'}`
}

function verdict({ state, serial, envelope, execution_id }: ExecutionRecord): string {
  if (envelope === undefined) return `${state} on ${serial}; execution ${execution_id}`
  if (envelope.status === 'success') return `done on ${serial}; execution ${execution_id}`
  const hint = envelope.hint === undefined ? '' : `\n${envelope.hint}`
  return `${state} on ${serial}: ${envelope.error ?? envelope.errorCode ?? 'unknown'}; execution ${execution_id}${hint}`
}

function milliseconds(value: string): number {
  const ms = Number(value)
  if (!Number.isFinite(ms) || ms < 0) throw new InvalidArgumentError('It takes milliseconds.')
  return ms
}
