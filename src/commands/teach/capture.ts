import { ApiFailure } from '@apprentice/contracts/client.ts'
import {
  cancelSession,
  markGoal,
  markStep,
  resumeCapture,
  startCapture,
  stopCapture,
  streamSessionEvents,
} from '@apprentice/contracts/learn/sessions.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { followEvents } from '../terminal/event-stream.ts'
import { CapturedActions } from './captured-actions.ts'
import { pointAt } from './pointing.ts'
import type { TeachDialog } from './teach-dialog.ts'
import { TouchRecording } from './touch-recording.ts'

interface Capture {
  readonly dialog: TeachDialog
  readonly actions: CapturedActions
  readonly touches: TouchRecording
}

/** Captures the demonstration until the person stops or cancels it. */
export async function captureDemonstration(dialog: TeachDialog): Promise<'stopped' | 'cancelled'> {
  const { session } = await dialog.detail()
  if (session.state === 'idle' || session.state === 'armed') await startNewCapture(dialog)
  else if (session.state === 'paused') {
    await dialog.call(resumeCapture, { params: dialog.params, body: {} })
  }
  const capture = {
    dialog,
    actions: new CapturedActions(dialog),
    touches: new TouchRecording(dialog),
  }
  printInstructions(dialog, await capture.touches.start())
  const over = new AbortController()
  const watchers = Promise.all([
    // If the actions cannot be read any more, the capture ends and the next request reports why.
    capture.actions.poll(over.signal).catch(() => over.abort()),
    watchState(dialog, over),
  ])
  try {
    return await readCommands(capture, over.signal)
  } finally {
    over.abort()
    await watchers
    await capture.touches.stop()
  }
}

async function startNewCapture({ call, params, options, conversation }: TeachDialog): Promise<void> {
  await call(startCapture, {
    params,
    body: { text_capture_consent: options.consent === true },
  })
  const goal =
    options.goal ??
    (conversation.interactive ? await conversation.ask('What is the workflow for? (Enter to skip)') : '')
  if (goal !== undefined && goal !== '') await call(markGoal, { params, body: { goal_description: goal } })
}

function printInstructions(
  { conversation, serial, dashboard, options }: TeachDialog,
  touchProblem: string | undefined,
): void {
  conversation.say(`Demonstrate the workflow on ${serial}:`)
  conversation.say(
    touchProblem === undefined
      ? '  on the phone itself, or'
      : `  not on the phone itself (its touches cannot be recorded: ${touchProblem}), but`,
  )
  conversation.say(`  on the live screen at ${dashboard}/devices/${encodeURIComponent(serial)}`)
  conversation.say(`  (log a browser in with \`${hintCommand('token login')}\`)`)
  if (options.consent !== true) {
    conversation.say('Typed text is stored as a placeholder. Use --consent to store it as typed.')
  }
  conversation.say(CAPTURE_HELP)
}

const CAPTURE_HELP = `Commands:
  goal <text>    what the workflow is for
  mark <text>    what you just did
  check <text>   how to see that it worked
  proves <text>  what the screen shows now proves that it worked
  return <text> [as <name>]      runs return what the screen shows there
  return all <text> [as <name>]  runs return it of all rows of the list
  input <text>   this is different each time
  always <text>  this is the same each time
  undo           delete the last action
  stop           end the demonstration
  cancel         discard the demonstration`

/** Ends the capture when the session is ended elsewhere or by its time limit. */
async function watchState({ options, params }: TeachDialog, over: AbortController): Promise<void> {
  try {
    const follow = { params, signal: over.signal }
    for await (const event of followEvents(options, streamSessionEvents, follow)) {
      const to = event.event_kind === 'learn.session.state_changed' ? event.payload['to'] : undefined
      if (typeof to === 'string' && !CAPTURE_STATES.has(to)) over.abort()
    }
  } catch {
    // Without events the state is still checked by every command.
  }
}

const CAPTURE_STATES = new Set(['idle', 'armed', 'capturing', 'paused'])

async function readCommands(capture: Capture, over: AbortSignal): Promise<'stopped' | 'cancelled'> {
  const { conversation } = capture.dialog
  for (;;) {
    const line = await conversation.readLine('> ', over)
    if (over.aborted) return reportEndedElsewhere(capture.dialog)
    try {
      const end = await runCommand(capture, line)
      if (end !== undefined) return end
    } catch (error) {
      if (line === undefined || !(error instanceof ApiFailure)) throw error
      conversation.say(error.message)
    }
  }
}

async function reportEndedElsewhere(dialog: TeachDialog): Promise<'stopped' | 'cancelled'> {
  const { session } = await dialog.detail()
  dialog.print('The capture was ended by another client or by its time limit.')
  return session.state === 'cancelled' ? 'cancelled' : 'stopped'
}

/** Runs one command line. Returns how the capture ended, if it did. The end of the input means `stop`. */
async function runCommand(capture: Capture, line: string | undefined): Promise<'stopped' | 'cancelled' | undefined> {
  const { dialog, actions } = capture
  const { call, params } = dialog
  const [verb, text] = splitVerb(line ?? 'stop')
  switch (verb) {
    case '':
      return undefined
    case 'goal':
      await call(markGoal, { params, body: { goal_description: text } })
      dialog.print('Goal saved.')
      return undefined
    case 'mark':
    case 'check': {
      const step_kind_hint = verb === 'check' ? ('verification' as const) : ('action' as const)
      await call(markStep, { params, body: { step_label: text, step_kind_hint } })
      dialog.print('Saved.')
      return undefined
    }
    case 'proves':
    case 'return':
    case 'input':
    case 'always':
      await pointAt(dialog, verb, text)
      return undefined
    case 'undo': {
      const deleted = await actions.undo()
      dialog.print(deleted === undefined ? 'There is no action to delete.' : `Deleted: ${deleted}`)
      return undefined
    }
    case 'stop':
      return stopOrContinue(capture, { last: line === undefined })
    case 'cancel':
      await call(cancelSession, { params, body: { reason: 'cancelled at the terminal' } })
      return 'cancelled'
    default:
      dialog.print(CAPTURE_HELP)
      return undefined
  }
}

/** Stops the recording first: the last touches may not be among the actions yet. */
async function stopOrContinue(
  { dialog, actions, touches }: Capture,
  { last }: { readonly last: boolean },
): Promise<'stopped' | 'cancelled' | undefined> {
  const { call, params } = dialog
  await touches.stop()
  await actions.refresh()
  if (actions.count > 0) {
    await call(stopCapture, { params, body: {} })
    return 'stopped'
  }
  if (last) {
    await call(cancelSession, { params, body: { reason: 'nothing was demonstrated' } })
    return 'cancelled'
  }
  dialog.print('No action was captured yet. Demonstrate the workflow, or type cancel.')
  await touches.start()
  return undefined
}

export function splitVerb(line: string): [string, string] {
  const at = line.search(/\s/)
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at).trim()]
}
