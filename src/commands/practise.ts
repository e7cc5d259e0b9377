import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Call } from '@apprentice/contracts/client.ts'
import { cancelPractice, getPractice, type Practice, startPractice } from '@apprentice/contracts/learn/practice.ts'
import { cancelSession, createSession, setTestPolicy } from '@apprentice/contracts/learn/sessions.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from './terminal/connection.ts'
import { hintCommand } from './terminal/command-hint.ts'
import { EXIT_CODES } from './terminal/exit-codes.ts'
import { reportUsageFailures, withUsageExitCode } from './terminal/usage-error.ts'

type PractiseOptions = ConnectionOptions & {
  readonly app: readonly string[]
  readonly serial?: string
  readonly readOnly?: boolean
  readonly maxActions: number
}

export function addPractiseCommand(program: Command): void {
  withConnection(
    withUsageExitCode(program.command('practise <goal...>'))
      .summary('let the daemon find the steps to a goal')
      .description('Lets the daemon find the steps to a goal on a phone, and drafts the proven ones.'),
  )
    .requiredOption('--app <package>', 'an app it may use; may be repeated, the first is opened', collectApps)
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('--read-only', 'change nothing on the phone')
    .option('--max-actions <count>', 'limit of actions on the phone', parseCount, 80)
    .addHelpText('after', PRACTISE_HELP)
    .action((goal: string[], options: PractiseOptions) => reportUsageFailures(() => practise(goal.join(' '), options)))
}

const PRACTISE_HELP = `
A goal names the result, in any order of words, in English, German, French, Spanish, Italian, Portuguese
or Dutch: "turn on <switch>", "set <thing> to <value>", "open <screen>", "add <text> to <list>". Several
results are joined by "and". Nothing is deleted, sent or bought.

Exit codes:
    0  the goal was proven and drafted
    1  it was not
    2  the goal was not understood; nothing was done
  130  Ctrl-C`

const POLL_MS = 1000

async function practise(goal: string, options: PractiseOptions): Promise<void> {
  const call = connect(options)
  const [application_id] = options.app
  const { session } = await call(createSession, {
    body: { entry_mode: 'autonomous_agent_practice', target_app_whitelist: [...options.app] },
  })
  const params = { sessionId: session.learn_session_id }
  try {
    await call(setTestPolicy, { params, body: { test_policy: buildPolicy(options) } })
    const { serial } = options
    const body = { goal, application_id, ...(serial === undefined ? {} : { serial }) }
    const { practice } = await call(startPractice, { params, body })
    const finished = await waitForPractice(call, params, { practice, options })
    printResult(options, { practice: finished }, () => formatOutcome(finished))
    if (finished.outcome === 'proven') return
    process.exitCode = EXIT_CODES.failure
  } catch (error) {
    await cancelSessionQuietly(call, params)
    throw error
  }
  await cancelSessionQuietly(call, params)
}

const buildPolicy = ({ readOnly, maxActions }: PractiseOptions) => ({
  policy_id: randomUUID(),
  mode: readOnly === true ? ('read_only' as const) : ('controlled_live_test' as const),
  max_actions: maxActions,
})

/** A session without a proof cannot continue. */
async function cancelSessionQuietly(call: Call, params: { readonly sessionId: string }): Promise<void> {
  await call(cancelSession, { params, body: { reason: 'nothing was proven' } }).catch(() => {})
}

/** Prints the progress until the practice has ended. Ctrl-C cancels it. */
async function waitForPractice(
  call: Call,
  params: { readonly sessionId: string },
  { practice: started, options }: { readonly practice: Practice; readonly options: PractiseOptions },
): Promise<Practice> {
  const interruption = new AbortController()
  process.once('SIGINT', () => interruption.abort())
  const say = (line: string) => {
    ;(options.json === true ? process.stderr : process.stdout).write(`${line}\n`)
  }
  say(`Proof: ${started.proof}`)
  let practice = started
  let lastLine = ''
  while (practice.ended_at === undefined) {
    if (interruption.signal.aborted) {
      process.exitCode = EXIT_CODES.interrupted
      return (await call(cancelPractice, { params, body: {} })).practice
    }
    await sleep(POLL_MS)
    practice = (await call(getPractice, { params })).practice
    const line = formatProgress(practice)
    if (line !== lastLine && practice.ended_at === undefined) say(line)
    lastLine = line
  }
  return practice
}

const formatProgress = (practice: Practice): string =>
  `${practice.state === 'proving' ? 'Proving' : 'Exploring'}: ${practice.screens_seen} screens, ` +
  `${practice.actions_used} of ${practice.max_actions} actions`

function formatOutcome({ summary = '', path, closed_ways, outcome, proposal_id }: Practice): string {
  const steps = path.map((step, at) => `  ${at + 1}. ${step}`)
  const closed = closed_ways.map(({ label, reason }) => `  not tried: ${label} (${reason})`)
  const next =
    outcome === 'proven'
      ? [
          proposal_id === undefined
            ? `Ready to be drafted. Continue with \`${hintCommand('teach')}\`.`
            : `Drafted. Continue with \`${hintCommand('teach')}\`.`,
        ]
      : closed
  return [summary, ...steps, ...next].join('\n')
}

const collectApps = (value: string, before: readonly string[] = []): string[] => [...before, value]

function parseCount(value: string): number {
  const actions = Number(value)
  if (!Number.isInteger(actions) || actions < 1 || actions > 200) {
    throw new InvalidArgumentError('Expected a number from 1 to 200.')
  }
  return actions
}
