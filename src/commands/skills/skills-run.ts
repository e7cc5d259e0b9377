import { type Command, InvalidArgumentError } from 'commander'
import type { Call } from '@apprentice/contracts/client.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import {
  cancelSkillRun,
  getSkillRun,
  runSkill,
  type SkillRun,
  streamSkillRunEvents,
} from '@apprentice/contracts/skills/runs.ts'
import { connect, type ConnectionOptions, withConnection } from '../terminal/connection.ts'
import { followEvents } from '../terminal/event-stream.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { reportUsageFailures, withUsageExitCode } from '../terminal/usage-error.ts'

type SkillRunOptions = ConnectionOptions & {
  /** A serial, or false with --no-device. */
  readonly device?: string | false
  readonly timeout?: number
  readonly expectContains?: string
  readonly verify?: boolean
  readonly skipValidate?: boolean
}

export function addSkillsRunCommand(skills: Command): void {
  withConnection(
    withUsageExitCode(skills.command('run <skill-id> [args...]'))
      .description('run the script of a skill and print its output')
      .allowUnknownOption(),
  )
    .option('--device <serial>', 'which device (default: the only one connected)')
    .option('--no-device', 'run it without a device')
    .option('--timeout <ms>', 'time limit of the script', parseMilliseconds)
    .option('--expect-contains <words>', 'text that its output must contain')
    .option('--verify', 'verify on the phone what the skill declares')
    .option('--skip-validate', 'run it even if its validation fails')
    .addHelpText('after', RUN_HELP)
    .action((skillId: string, args: string[], options: SkillRunOptions) =>
      reportUsageFailures(() => run(skillId, args, options)),
    )
}

const RUN_HELP = `
Arguments after -- are passed to the script unchanged.

Exit codes:
    0  the run succeeded
    1  the run failed
    2  the request was invalid; nothing was done
    3  the outcome is unknown
  130  the run was cancelled`

async function run(skillId: string, args: string[], options: SkillRunOptions): Promise<void> {
  const call = connect(options)
  const body = await buildRequest(call, args, options)
  const { run: started } = await call(runSkill, { params: { skillId }, body })
  const { run_id: runId } = started
  const cancel = () => {
    // Fails if the run has ended by now; the outcome then says so.
    call(cancelSkillRun, { params: { runId } }).catch(() => undefined)
  }
  process.once('SIGINT', cancel)
  await printOutput(options, runId)
  const settled = (await call(getSkillRun, { params: { runId } })).run
  process.removeListener('SIGINT', cancel)
  if (options.json === true) process.stdout.write(`${JSON.stringify({ run: settled }, null, 2)}\n`)
  else process.stderr.write(`${formatResult(settled)}\n`)
  process.exitCode = toExitCode(settled)
}

async function buildRequest(call: Call, args: string[], options: SkillRunOptions) {
  const { timeout, expectContains } = options
  const serial = options.device === false ? undefined : (options.device ?? (await findOnlyDevice(call)))
  return {
    args,
    runtime_verification: options.verify === true,
    skip_validation: options.skipValidate === true,
    ...(serial === undefined ? {} : { serial }),
    ...(timeout === undefined ? {} : { timeout_ms: timeout }),
    ...(expectContains === undefined ? {} : { expect_contains: expectContains }),
  }
}

async function findOnlyDevice(call: Call): Promise<string | undefined> {
  const { devices } = await call(listDevices)
  const connected = devices.filter(({ state }) => state === 'device')
  return connected.length === 1 ? connected[0]?.serial : undefined
}

/** Copies each stream of the script to the same stream here; with --json both go to stderr. */
async function printOutput(options: SkillRunOptions, runId: string): Promise<void> {
  const following = { params: { runId } }
  for await (const { event_kind, payload } of followEvents(options, streamSkillRunEvents, following)) {
    if (event_kind !== 'skill.run.printed') continue
    const out = payload['stream'] === 'stdout' && options.json !== true
    ;(out ? process.stdout : process.stderr).write(String(payload['text']))
  }
}

function formatResult({ state, outcome, skill_id, serial, run_id }: SkillRun): string {
  const where = serial === undefined ? '' : ` on ${serial}`
  const verification = outcome?.verification
  const observed =
    verification?.status === 'verified'
      ? `; ${verification.source === 'runtime' ? 'the phone shows' : 'the skill reports'} ${JSON.stringify(verification.observed ?? '')}`
      : ''
  const { trouble } = outcome ?? {}
  const why = trouble === undefined ? '' : `: ${trouble.message} (${trouble.code})`
  return `${skill_id}${where}: ${state}${observed}${why}; run ${run_id}`
}

export function toExitCode({ state }: Pick<SkillRun, 'state'>): number {
  switch (state) {
    case 'success':
      return EXIT_CODES.ok
    case 'indeterminate':
    case 'interrupted':
    case 'queued':
    case 'running':
      return EXIT_CODES.indeterminate
    case 'cancelled':
      return EXIT_CODES.interrupted
    case 'failed':
      return EXIT_CODES.failure
  }
}

function parseMilliseconds(value: string): number {
  const ms = Number(value)
  if (!Number.isInteger(ms) || ms < 1) throw new InvalidArgumentError('Expected a number of milliseconds.')
  return ms
}
