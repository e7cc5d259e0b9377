import type { Command } from 'commander'
import { connect, withConnection } from '../terminal/connection.ts'
import { Conversation, Interrupted } from '../terminal/conversation.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { begin } from './begin.ts'
import { capture } from './capture.ts'
import { decide } from './decide.ts'
import { draft } from './draft.ts'
import { install, tryOut } from './finish.ts'
import type { Ending, Lesson, TeachOptions } from './lesson.ts'
import { reportUsage, withUsageCode } from '../terminal/usage-problem.ts'

export function addTeachCommand(program: Command): void {
  withConnection(
    withUsageCode(program.command('teach')).description(
      'show a workflow on a phone once, and make an ability of it',
    ),
  )
    .option('--goal <text>', 'what the demonstration is for')
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('--consent', 'keep what is typed as it is typed')
    .option('--ask', 'be asked when it is to be used before it is drafted')
    .option('--yes', 'accept and install the draft if its tests go well, without being asked')
    .addHelpText('after', teachHelp)
    .action((options: TeachOptions) => reportUsage(() => teach(options)))
}

const teachHelp = `
Without a terminal the same commands are read from standard input, a line each.
Exit codes: 0 it was installed, 1 it was not, 130 Ctrl-C.`

const farewells: Readonly<Record<Ending, string | undefined>> = {
  installed: undefined,
  cancelled: 'Cancelled: nothing was learned, and nothing is watched any more.',
  rejected: 'Rejected: it was not installed.',
  left: 'Left as it is; `apprentice teach` goes on with it.',
}

async function teach(options: TeachOptions): Promise<void> {
  const talk = new Conversation()
  let lesson: Lesson | undefined
  try {
    lesson = await begin({ options, talk, call: connect(options) })
    const ending = lesson === undefined ? 'left' : await walkThrough(lesson)
    const words = farewells[ending]
    if (words !== undefined) talk.say(words)
    process.exitCode = ending === 'installed' ? exitCodes.ok : exitCodes.problem
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    await lesson?.abort('interrupted at the terminal')
    process.exitCode = exitCodes.interrupted
  } finally {
    talk.close()
  }
}

/** From the demonstration to the ability. A lesson that was left is taken up where it stood. */
async function walkThrough(lesson: Lesson): Promise<Ending> {
  const { session } = await lesson.detail()
  if (notShown.has(session.state) && (await capture(lesson)) === 'cancelled') return 'cancelled'
  const proposalId = await draft(lesson)
  if (proposalId === undefined) return 'left'
  const decision = await decide(lesson, proposalId)
  if (decision !== 'accepted') return decision
  const learned = await install(lesson, proposalId)
  if (learned === undefined) return 'left'
  await tryOut(lesson, learned)
  return 'installed'
}

const notShown: ReadonlySet<string> = new Set(['idle', 'armed', 'capturing', 'paused'])
