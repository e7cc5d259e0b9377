import type { Command } from 'commander'
import { hintCommand } from '../terminal/command-hint.ts'
import { connect, withConnection } from '../terminal/connection.ts'
import { Conversation, Interrupted } from '../terminal/conversation.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { openTeachDialog } from './session-start.ts'
import { captureDemonstration } from './capture.ts'
import { decide } from './decision.ts'
import { makeDraft } from './draft.ts'
import { installDraft, offerTrialRuns } from './installation.ts'
import { CANCELLED_MESSAGE, type Outcome, type TeachOptions, type TeachDialog } from './teach-dialog.ts'
import { reportUsageFailures, withUsageExitCode } from '../terminal/usage-error.ts'

export function addTeachCommand(program: Command): void {
  withConnection(
    withUsageExitCode(program.command('teach'))
      .summary('teach an ability by demonstration')
      .description('Teaches an ability: demonstrate a workflow on a phone once.'),
  )
    .option('--goal <text>', 'what the workflow is for')
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('--consent', 'store typed text as it is typed')
    .option('--ask', 'ask when the ability should be used before drafting it')
    .option('--yes', 'accept and install the draft without asking if its tests pass')
    .addHelpText('after', TEACH_HELP)
    .action((options: TeachOptions) => reportUsageFailures(() => teach(options)))
}

const TEACH_HELP = `
Without a terminal, commands are read from standard input, one per line.

Exit codes:
    0  the ability was installed
    1  it was not
    2  the request was invalid; nothing was done
  130  Ctrl-C`

const OUTCOME_MESSAGES: Readonly<Record<Outcome, string | undefined>> = {
  installed: undefined,
  cancelled: CANCELLED_MESSAGE,
  rejected: 'Rejected: the draft was not installed.',
  pending: `The session stays open. Continue with \`${hintCommand('teach')}\`.`,
}

async function teach(options: TeachOptions): Promise<void> {
  const conversation = new Conversation()
  let dialog: TeachDialog | undefined
  try {
    dialog = await openTeachDialog({ options, conversation, call: connect(options) })
    const outcome = dialog === undefined ? 'pending' : await teachAbility(dialog)
    const message = OUTCOME_MESSAGES[outcome]
    if (message !== undefined) conversation.say(message)
    process.exitCode = outcome === 'installed' ? EXIT_CODES.ok : EXIT_CODES.failure
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    await dialog?.abort('interrupted at the terminal')
    process.exitCode = EXIT_CODES.interrupted
  } finally {
    conversation.close()
  }
}

/** Goes from the demonstration to the installed ability. An open session continues where it is. */
async function teachAbility(dialog: TeachDialog): Promise<Outcome> {
  const { session } = await dialog.detail()
  if (CAPTURE_STATES.has(session.state) && (await captureDemonstration(dialog)) === 'cancelled') return 'cancelled'
  const proposalId = await makeDraft(dialog)
  if (proposalId === undefined) return 'pending'
  const decision = await decide(dialog, proposalId)
  if (decision !== 'accepted') return decision
  const ability = await installDraft(dialog, proposalId)
  if (ability === undefined) return 'pending'
  await offerTrialRuns(dialog, ability)
  return 'installed'
}

const CAPTURE_STATES: ReadonlySet<string> = new Set(['idle', 'armed', 'capturing', 'paused'])
