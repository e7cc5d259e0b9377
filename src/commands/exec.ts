import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Call } from '@apprentice/contracts/client.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import { createExecution, type ExecutionRecord, getExecution } from '@apprentice/contracts/devices/executions.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { EXIT_CODES } from './terminal/exit-codes.ts'
import { ProgressLine } from './terminal/progress-line.ts'
import { styleState } from './terminal/styles.ts'

type ExecOptions = ConnectionOptions & {
  readonly serial?: string
  readonly wait?: number
  readonly dryRun?: boolean
  readonly validate?: boolean
  readonly again?: boolean
}

const POLL_MS = 100

export function addExecCommand(program: Command): void {
  withConnection(
    program
      .command('exec <file>')
      .summary('run actions on a device')
      .description('Runs actions on a device. The exit code is 1 if they fail.'),
  )
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('--wait <ms>', 'how long to wait for the result (default: no limit)', parseMilliseconds)
    .option('--dry-run', 'print the plan without running it')
    .option('--validate', 'check the payload without running it')
    .option('--again', 'run it again under a new commandId')
    .addHelpText('after', FILE_HELP)
    .action((file: string, options: ExecOptions) => reportFailures(() => execute(file, options)))
}

const FILE_HELP = `
<file> is a JSON file, or - for standard input. It holds an execution payload,
{"execution": ..., "serial": ...}, or {"actions": [...]}. Missing fields get defaults.`

async function execute(file: string, options: ExecOptions): Promise<void> {
  const call = connect(options)
  const body = buildRequest(await readDocument(file), options)
  const requestedAt = new Date().toISOString()
  const reply = await call(createExecution, { body })
  if (!('schema_version' in reply)) return printCheck(options, reply)
  const { execution } = reply
  if (execution.settled_at !== undefined && execution.settled_at < requestedAt) {
    process.stderr.write(
      `This commandId was run before, at ${execution.queued_at}. This is its result; use --again to run it again.\n`,
    )
  }
  const last = await waitForExecution(call, execution, options)
  if (options.json === true) printResult(options, { execution: last }, () => '')
  else process.stdout.write(`${formatResult(last)}\n`)
  if (last.envelope?.status === 'failed') process.exitCode = EXIT_CODES.failure
}

async function readDocument(file: string): Promise<unknown> {
  const json = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new Error(`${file === '-' ? 'The input' : file} is not JSON: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Builds the request from a document. Options override its fields. */
export function buildRequest(document: unknown, options: Omit<ExecOptions, 'wait'>) {
  const wrapped = isRecord(document) && 'execution' in document
  const beside = wrapped ? document : {}
  const payload = wrapped ? document['execution'] : Array.isArray(document) ? { actions: document } : document
  const given = beside['serial']
  const serial = options.serial ?? (typeof given === 'string' ? given : undefined)
  return {
    ...beside,
    execution: addDefaults(payload, options.again === true),
    ...(serial === undefined ? {} : { serial }),
    wait_ms: 0,
    dry_run: options.dryRun === true,
    validate_only: options.validate === true,
  }
}

/** Adds fields that are missing under both of their spellings. */
function addDefaults(payload: unknown, again: boolean): unknown {
  if (!isRecord(payload)) return payload
  const { commandId: _c, command_id: _d, ...rest } = payload
  const base = again ? rest : payload
  const defaults: readonly (readonly [string, string, unknown])[] = [
    ['commandId', 'command_id', randomUUID()],
    ['taskId', 'task_id', 'command-line'],
    ['source', 'source', 'command-line'],
    ['expectedFormat', 'expected_format', 'android-ui-automator'],
    ['timeoutMs', 'timeout_ms', 60_000],
  ]
  const missing = defaults.filter(([name, alias]) => !(name in base) && !(alias in base))
  return { ...base, ...Object.fromEntries(missing.map(([name, , value]) => [name, value])) }
}

function printCheck(options: ExecOptions, reply: object): void {
  printResult(options, reply, () => ('plan' in reply ? JSON.stringify(reply.plan, null, 2) : 'The payload is valid.'))
}

/** Polls until the execution has settled or the wait is over, and prints each finished step. */
async function waitForExecution(
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
  let printed = 0
  for (let record = first; ;) {
    for (const line of formatSteps(record).slice(printed)) say(line)
    printed = Math.max(printed, formatSteps(record).length)
    const elapsedMs = Date.now() - startedMs
    const isWaitOver = wait !== undefined && elapsedMs >= wait
    if (record.settled_at !== undefined || isWaitOver) {
      progress.clear()
      return record
    }
    progress.show(formatProgress(record), `${(elapsedMs / 1000).toFixed(1)} s`)
    await sleep(POLL_MS)
    const { execution_id: executionId } = record
    record = (await call(getExecution, { params: { executionId } })).execution
  }
}

/** During the execution, the steps before the current one have succeeded: the first failure ends the execution. */
function formatSteps({ execution, envelope, current_step_id }: ExecutionRecord): string[] {
  const { actions } = execution
  const total = actions.length
  if (envelope !== undefined) {
    return envelope.stepResults.map((step, at) => formatStep(step, at, total))
  }
  const current = actions.findIndex(({ id }) => id === current_step_id)
  return actions
    .slice(0, Math.max(0, current))
    .map(({ id, type }, at) => formatStep({ id, actionType: type, success: true, data: {} }, at, total))
}

function formatStep({ id, actionType, success, outcome, data }: StepResult, at: number, total: number) {
  const mark = success ? 'ok  ' : outcome === 'skipped' ? 'skip' : 'FAIL'
  const why = success || outcome === 'skipped' ? '' : `  ${data['error'] ?? ''} ${data['message'] ?? ''}`
  return `${styleState(mark)} ${at + 1}/${total} ${actionType} ${id}${why}`.trimEnd()
}

function formatProgress({ state, current_step_id, execution, completed_steps }: ExecutionRecord): string {
  if (state === 'queued') return 'waiting for the device'
  const step = execution.actions.find(({ id }) => id === current_step_id)
  const total = execution.actions.length
  return `step ${Math.min(completed_steps + 1, total)} of ${total}: ${step?.type ?? 'starting'}`
}

function formatResult({ state, serial, envelope, execution_id }: ExecutionRecord): string {
  if (envelope === undefined) return `${state} on ${serial}; execution ${execution_id}`
  if (envelope.status === 'success') return `done on ${serial}; execution ${execution_id}`
  const hint = envelope.hint === undefined ? '' : `\n${envelope.hint}`
  return `${state} on ${serial}: ${envelope.error ?? envelope.errorCode ?? 'unknown'}; execution ${execution_id}${hint}`
}

function parseMilliseconds(value: string): number {
  const ms = Number(value)
  if (!Number.isFinite(ms) || ms < 0) throw new InvalidArgumentError('Expected a number of milliseconds.')
  return ms
}
