import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import type { Call } from '@apprentice/contracts/client.ts'
import {
  cancelPractice,
  getPractice,
  type Practice,
  startPractice,
} from '@apprentice/contracts/learn/practice.ts'
import {
  cancelSession,
  createSession,
  setTestPolicy,
} from '@apprentice/contracts/learn/sessions.ts'
import { connect, type ConnectionOptions, print, withConnection } from './terminal/connection.ts'
import { exitCodes } from './terminal/exit-codes.ts'
import { reportUsage, withUsageCode } from './terminal/usage-problem.ts'

type PractiseOptions = ConnectionOptions & {
  readonly app: readonly string[]
  readonly serial?: string
  readonly readOnly?: boolean
  readonly maxActions: number
}

export function addPractiseCommand(program: Command): void {
  withConnection(
    withUsageCode(program.command('practise <goal...>')).description(
      'let the daemon find out by itself how to reach a goal on a phone, and draft what it proved',
    ),
  )
    .requiredOption(
      '--app <package>',
      'an app it may enter; the first is where it begins',
      apps,
      [],
    )
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('--read-only', 'let it look and change nothing')
    .option('--max-actions <count>', 'how much it may do on the phone', count, 80)
    .addHelpText('after', practiseHelp)
    .action((goal: string[], options: PractiseOptions) =>
      reportUsage(() => practise(goal.join(' '), options)),
    )
}

const practiseHelp = `
A goal says what is to be seen in the end: "turn on <switch>", "set <thing> to <value>", "open <screen>",
"create a <thing> saying <text>". Nothing is deleted, sent or bought on the way.
Exit codes: 0 it is proven and drafted, 1 it is not, 2 the goal cannot be understood, 130 Ctrl-C.`

const glanceMs = 1000

async function practise(goal: string, options: PractiseOptions): Promise<void> {
  const call = connect(options)
  const [application_id] = options.app
  const { session } = await call(createSession, {
    body: { entry_mode: 'autonomous_agent_practice', target_app_whitelist: [...options.app] },
  })
  const params = { sessionId: session.learn_session_id }
  try {
    await call(setTestPolicy, { params, body: { test_policy: policyOf(options) } })
    const { serial } = options
    const body = { goal, application_id, ...(serial === undefined ? {} : { serial }) }
    const { practice } = await call(startPractice, { params, body })
    const ended = await follow(call, params, { practice, options })
    print(options, { practice: ended }, () => outcomeWords(ended))
    if (ended.outcome === 'proven') return
    process.exitCode = exitCodes.problem
  } catch (error) {
    await giveUp(call, params)
    throw error
  }
  await giveUp(call, params)
}

const policyOf = ({ readOnly, maxActions }: PractiseOptions) => ({
  policy_id: randomUUID(),
  mode: readOnly === true ? ('read_only' as const) : ('controlled_live_test' as const),
  max_actions: maxActions,
})

/** A session without a proof has nothing to go on with. */
async function giveUp(call: Call, params: { readonly sessionId: string }): Promise<void> {
  await call(cancelSession, { params, body: { reason: 'nothing was proven' } }).catch(() => {})
}

/** Tells how far it came until it is over; Ctrl-C stops it. */
async function follow(
  call: Call,
  params: { readonly sessionId: string },
  { practice: begun, options }: { readonly practice: Practice; readonly options: PractiseOptions },
): Promise<Practice> {
  const interruption = new AbortController()
  process.once('SIGINT', () => interruption.abort())
  const say = (line: string) => {
    ;(options.json === true ? process.stderr : process.stdout).write(`${line}\n`)
  }
  say(`To be seen: ${begun.proof}`)
  let practice = begun
  let said = ''
  while (practice.ended_at === undefined) {
    if (interruption.signal.aborted) {
      process.exitCode = exitCodes.interrupted
      return (await call(cancelPractice, { params, body: {} })).practice
    }
    await new Promise((resolve) => setTimeout(resolve, glanceMs))
    practice = (await call(getPractice, { params })).practice
    const line = progressWords(practice)
    if (line !== said && practice.ended_at === undefined) say(line)
    said = line
  }
  return practice
}

const progressWords = (practice: Practice): string =>
  `${practice.state === 'proving' ? 'Proving it' : 'Looking'}: ${practice.screens_seen} screens, ` +
  `${practice.actions_used} of ${practice.max_actions} actions`

function outcomeWords({ summary = '', path, closed_ways, outcome, proposal_id }: Practice): string {
  const steps = path.map((step, at) => `  ${at + 1}. ${step}`)
  const closed = closed_ways.map(({ label, reason }) => `  not tried: ${label} (${reason})`)
  const next =
    outcome === 'proven'
      ? [
          proposal_id === undefined
            ? 'It is ready to be drafted; `apprentice teach` goes on with it.'
            : 'It is drafted; `apprentice teach` goes on with it.',
        ]
      : closed
  return [summary, ...steps, ...next].join('\n')
}

const apps = (value: string, before: readonly string[]): string[] => [...before, value]

function count(value: string): number {
  const read = Number(value)
  if (!Number.isInteger(read) || read < 1 || read > 200) {
    throw new InvalidArgumentError('It takes a number from 1 to 200.')
  }
  return read
}
