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
import { exitCodes } from '../terminal/exit-codes.ts'
import { reportUsage, withUsageCode } from '../terminal/usage-problem.ts'

type SkillRunOptions = ConnectionOptions & {
  /** A serial, or false when none is wanted. */
  readonly device?: string | false
  readonly timeout?: number
  readonly expectContains?: string
  readonly verify?: boolean
  readonly skipValidate?: boolean
}

export function addSkillsRunCommand(skills: Command): void {
  withConnection(
    withUsageCode(skills.command('run <skill-id> [args...]'))
      .description('run the script of a skill and show what it prints')
      .allowUnknownOption(),
  )
    .option('--device <serial>', 'which device (default: the only one connected)')
    .option('--no-device', 'run it without a device')
    .option('--timeout <ms>', 'how long it may take', milliseconds)
    .option('--expect-contains <words>', 'what its output must hold')
    .option('--verify', 'read what it declares from the phone, beside what it says itself')
    .option('--skip-validate', 'run it though a registry found fault with it')
    .addHelpText('after', help)
    .action((skillId: string, args: string[], options: SkillRunOptions) =>
      reportUsage(() => run(skillId, args, options)),
    )
}

const help = `
Words after -- go to the script as they are.
Exit codes: 0 it worked, 1 it failed, 3 nothing proves that it worked, 2 it could not be asked for (nothing was done),
130 it was taken back.`

async function run(skillId: string, args: string[], options: SkillRunOptions): Promise<void> {
  const call = connect(options)
  const body = await requestOf(call, args, options)
  const { run: started } = await call(runSkill, { params: { skillId }, body })
  const { run_id: runId } = started
  const takeBack = () => {
    // It may be over by now, which is then seen.
    call(cancelSkillRun, { params: { runId } }).catch(() => undefined)
  }
  process.once('SIGINT', takeBack)
  await tellOutput(options, runId)
  const ended = (await call(getSkillRun, { params: { runId } })).run
  process.removeListener('SIGINT', takeBack)
  if (options.json === true) process.stdout.write(`${JSON.stringify({ run: ended }, null, 2)}\n`)
  else process.stderr.write(`${verdict(ended)}\n`)
  process.exitCode = exitCodeOf(ended)
}

async function requestOf(call: Call, args: string[], options: SkillRunOptions) {
  const { timeout, expectContains } = options
  const serial = options.device === false ? undefined : (options.device ?? (await onlyDevice(call)))
  return {
    args,
    runtime_verification: options.verify === true,
    skip_validation: options.skipValidate === true,
    ...(serial === undefined ? {} : { serial }),
    ...(timeout === undefined ? {} : { timeout_ms: timeout }),
    ...(expectContains === undefined ? {} : { expect_contains: expectContains }),
  }
}

async function onlyDevice(call: Call): Promise<string | undefined> {
  const { devices } = await call(listDevices)
  const connected = devices.filter(({ state }) => state === 'device')
  return connected.length === 1 ? connected[0]?.serial : undefined
}

/** As it is printed, each stream to its own; with --json both are an aside. */
async function tellOutput(options: SkillRunOptions, runId: string): Promise<void> {
  const following = { params: { runId } }
  for await (const { event_kind, payload } of followEvents(
    options,
    streamSkillRunEvents,
    following,
  )) {
    if (event_kind !== 'skill.run.printed') continue
    const out = payload['stream'] === 'stdout' && options.json !== true
    ;(out ? process.stdout : process.stderr).write(String(payload['text']))
  }
}

function verdict({ state, outcome, skill_id, serial, run_id }: SkillRun): string {
  const where = serial === undefined ? '' : ` on ${serial}`
  const seen = outcome?.verification
  const shown =
    seen?.status === 'verified'
      ? `; ${seen.source === 'runtime' ? 'the phone shows' : 'it says it saw'} ${JSON.stringify(seen.observed ?? '')}`
      : ''
  const { trouble } = outcome ?? {}
  const why = trouble === undefined ? '' : `: ${trouble.message} (${trouble.code})`
  return `${skill_id}${where}: ${state}${shown}${why}; run ${run_id}`
}

export function exitCodeOf({ state }: Pick<SkillRun, 'state'>): number {
  switch (state) {
    case 'success':
      return exitCodes.ok
    case 'indeterminate':
    case 'interrupted':
    case 'queued':
    case 'running':
      return exitCodes.indeterminate
    case 'cancelled':
      return exitCodes.interrupted
    case 'failed':
      return exitCodes.problem
  }
}

function milliseconds(value: string): number {
  const ms = Number(value)
  if (!Number.isInteger(ms) || ms < 1) throw new InvalidArgumentError('It takes milliseconds.')
  return ms
}
