import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ObservationMode } from '@apprentice/contracts/learn/session.ts'
import { isOnTarget } from '../../../src/domain/capture/whitelist.ts'
import { startDaemon } from '../../kit/daemon.ts'
import { anEvent, send, stored } from './capturing.ts'

const watching = (whitelist: string[], observation_mode: ObservationMode = 'outside_agent') => ({
  observation_mode,
  target_app_whitelist: whitelist,
})

test.each([
  ['the app family', { app_family: 'Notes' }, true],
  ['the app family in other letters and spaces', { app_family: '  NOTES ' }, true],
  ['only a part of the app family', { app_family: 'Notes Pro' }, false],
  ['the bundle id', { bundle_id: 'notes' }, true],
  ['only a part of the bundle id', { bundle_id: 'com.example.notes' }, false],
  ['the whole window title', { window_title: 'notes' }, true],
  ['a word of the window title', { window_title: 'My notes – today' }, true],
  ['the window title up to a punctuation mark', { window_title: '(Notes)' }, true],
  ['a part of a word of the window title', { window_title: 'My keynotes' }, false],
  ['a word with an accent behind it', { window_title: 'notesé' }, false],
  ['another app', { app_family: 'Mail', window_title: 'Inbox' }, false],
  ['nothing at all', {}, false],
])('an event that matches by %s', (_how, event, expected) => {
  expect(isOnTarget(watching(['Notes']), event)).toBe(expected)
})

test('composed and decomposed letters are the same', () => {
  expect(isOnTarget(watching(['Café']), { app_family: 'Cafe\u0301' })).toBe(true)
})

test('the filter works only outside the agent, and only with a whitelist', () => {
  for (const mode of ['none', 'inside_agent'] as const) {
    expect(isOnTarget(watching(['Notes'], mode), { app_family: 'Mail' })).toBe(true)
  }
  expect(isOnTarget(watching(['Notes'], 'mixed'), { app_family: 'Mail' })).toBe(false)
  expect(isOnTarget(watching([]), { app_family: 'Mail' })).toBe(true)
})

test('matching agrees with a rule written the slow way', () => {
  const words = fc.stringMatching(/^[ab1 .é-]{0,8}$/)
  const event = fc.record(
    { app_family: words, bundle_id: words, window_title: words },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 3 }), event, (entries, sent) => {
      expect(isOnTarget(watching(entries), sent)).toBe(slowly(entries, sent))
    }),
    { numRuns: 3000 },
  )
})

/** Splits the title around every place the entry could be cut out of it. */
function slowly(
  entries: string[],
  { app_family, bundle_id, window_title }: Partial<Record<string, string>>,
): boolean {
  const tidy = (text: string) => text.trim().split(/\s+/).join(' ').toLowerCase()
  const isWord = (character: string | undefined) =>
    character !== undefined && 'ab1é'.includes(character)
  return entries.map(tidy).some((entry) => {
    if (entry === '') return false
    if ([app_family, bundle_id].some((name) => name !== undefined && tidy(name) === entry)) {
      return true
    }
    const title = tidy(window_title ?? '').split('')
    return title.some(
      (_character, at) =>
        title.slice(at, at + entry.length).join('') === entry &&
        !isWord(title[at - 1]) &&
        !isWord(title[at + entry.length]),
    )
  })
}

test('what is off target is counted and never stored', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', {
    observation_mode: 'mixed',
    target_app_whitelist: ['Notes'],
  })

  const first = await send(daemon, id, [
    anEvent(id, { app_family: 'Notes' }),
    anEvent(id, { app_family: 'Bank' }),
    anEvent(id),
  ])
  const second = await send(daemon, id, [anEvent(id, { app_family: 'Bank' })])

  expect(first.json()).toMatchObject({
    accepted: 1,
    dropped_off_target: 2,
    off_target_events_dropped: 2,
    captured_event_count: 1,
    rejected: [],
  })
  expect(second.json()).toMatchObject({ dropped_off_target: 1, off_target_events_dropped: 3 })
  expect(stored(daemon, id).map((event) => event.app_family)).toEqual(['Notes'])
  expect(daemon.session(id)).toMatchObject({ off_target_events_dropped: 3 })
})

test('an adapter that is not armed is refused before the whitelist is asked', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', {
    observation_mode: 'outside_agent',
    target_app_whitelist: ['Notes'],
  })

  const reply = await send(daemon, id, [anEvent(id, { adapter_kind: 'browser_dom' })])

  expect(reply.json()).toMatchObject({
    dropped_off_target: 0,
    rejected: [{ code: 'ADAPTER_UNAVAILABLE' }],
  })
})
