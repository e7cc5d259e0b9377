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
import { followEvents } from '../terminal/event-stream.ts'
import { CapturedActions } from './captured-actions.ts'
import type { Lesson } from './lesson.ts'
import { Touches } from './touches.ts'

interface Capture {
  readonly lesson: Lesson
  readonly actions: CapturedActions
  readonly touches: Touches
}

/** Watches what is shown until the person says that it was all. */
export async function capture(lesson: Lesson): Promise<'stopped' | 'cancelled'> {
  const { session } = await lesson.detail()
  if (session.state === 'idle' || session.state === 'armed') await start(lesson)
  else if (session.state === 'paused') {
    await lesson.call(resumeCapture, { params: lesson.params, body: {} })
  }
  const shown = { lesson, actions: new CapturedActions(lesson), touches: new Touches(lesson) }
  introduce(lesson, await shown.touches.watch())
  const over = new AbortController()
  const watching = Promise.all([
    // What cannot be looked at any more is over; why, the next question to the daemon tells.
    shown.actions.watch(over.signal).catch(() => over.abort()),
    watchState(lesson, over),
  ])
  try {
    return await obeyUntilOver(shown, over.signal)
  } finally {
    over.abort()
    await watching
    await shown.touches.rest()
  }
}

async function start({ call, params, options, talk }: Lesson): Promise<void> {
  await call(startCapture, {
    params,
    body: { text_capture_consent: options.consent === true },
  })
  const goal =
    options.goal ??
    (talk.interactive ? await talk.ask('What is it for, in a few words? (Enter to skip)') : '')
  if (goal !== undefined && goal !== '')
    await call(markGoal, { params, body: { goal_description: goal } })
}

function introduce({ talk, serial, dashboard, options }: Lesson, blind: string | undefined): void {
  talk.say(`Show it on ${serial} now:`)
  talk.say(
    blind === undefined
      ? '  on the phone itself, or'
      : `  not on the phone itself, which cannot be watched (${blind}), but`,
  )
  talk.say(`  through the live screen at ${dashboard}/devices/${encodeURIComponent(serial)}`)
  talk.say('  (`apprentice token login` signs a browser in)')
  if (options.consent !== true) {
    talk.say('What you type is noted as a placeholder; with --consent it is kept as typed.')
  }
  talk.say(captureHelp)
}

const captureHelp = `Commands: goal <what it is for>, mark <what you just did>, check <how one sees that it worked>,
undo (forget the last action), stop (that was all), cancel`

/** The session may also be ended elsewhere, or by its time limit. */
async function watchState({ options, params }: Lesson, over: AbortController): Promise<void> {
  try {
    const following = { params, signal: over.signal }
    for await (const event of followEvents(options, streamSessionEvents, following)) {
      const to =
        event.event_kind === 'learn.session.state_changed' ? event.payload['to'] : undefined
      if (typeof to === 'string' && !underWay.has(to)) over.abort()
    }
  } catch {
    // Without its events the session is still asked about with every command.
  }
}

const underWay = new Set(['idle', 'armed', 'capturing', 'paused'])

async function obeyUntilOver(shown: Capture, over: AbortSignal): Promise<'stopped' | 'cancelled'> {
  const { talk } = shown.lesson
  for (;;) {
    const line = await talk.command('> ', over)
    if (over.aborted) return endedElsewhere(shown.lesson)
    try {
      const end = await obey(shown, line)
      if (end !== undefined) return end
    } catch (error) {
      if (line === undefined || !(error instanceof ApiFailure)) throw error
      talk.say(error.message)
    }
  }
}

async function endedElsewhere(lesson: Lesson): Promise<'stopped' | 'cancelled'> {
  const { session } = await lesson.detail()
  lesson.say('The capture was ended elsewhere.')
  return session.state === 'cancelled' ? 'cancelled' : 'stopped'
}

/** Does what a line says; tells when that was the end. No more lines means that it was all. */
async function obey(
  shown: Capture,
  line: string | undefined,
): Promise<'stopped' | 'cancelled' | undefined> {
  const { lesson, actions } = shown
  const { call, params } = lesson
  const [verb, words] = split(line ?? 'stop')
  switch (verb) {
    case '':
      return undefined
    case 'goal':
      await call(markGoal, { params, body: { goal_description: words } })
      lesson.say('Noted what it is for.')
      return undefined
    case 'mark':
    case 'check': {
      const step_kind_hint = verb === 'check' ? ('verification' as const) : ('action' as const)
      await call(markStep, { params, body: { step_label: words, step_kind_hint } })
      lesson.say('Noted.')
      return undefined
    }
    case 'undo': {
      const forgotten = await actions.undo()
      lesson.say(forgotten === undefined ? 'There is nothing to forget.' : `Forgot: ${forgotten}`)
      return undefined
    }
    case 'stop':
      return stop(shown, { last: line === undefined })
    case 'cancel':
      await call(cancelSession, { params, body: { reason: 'cancelled at the terminal' } })
      return 'cancelled'
    default:
      lesson.say(captureHelp)
      return undefined
  }
}

/** What fingers did last may still be on its way. */
async function stop(
  { lesson, actions, touches }: Capture,
  { last }: { readonly last: boolean },
): Promise<'stopped' | 'cancelled' | undefined> {
  const { call, params } = lesson
  await touches.rest()
  await actions.look()
  if (actions.count > 0) {
    await call(stopCapture, { params, body: {} })
    return 'stopped'
  }
  if (last) {
    await call(cancelSession, { params, body: { reason: 'nothing was shown' } })
    return 'cancelled'
  }
  lesson.say('Nothing was seen yet. Show it, or type cancel.')
  await touches.watch()
  return undefined
}

export function split(line: string): [string, string] {
  const at = line.search(/\s/)
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at).trim()]
}
