import { createHash } from 'node:crypto'
import type { ScreenDigests, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'

export interface Screen {
  readonly activity: string | null
  readonly package: string | null
  readonly rotation: number
  readonly resolution: { readonly width: number; readonly height: number } | null
  readonly elements: readonly SnapshotElement[]
}

/** Text that ticks or counts by itself: clock times, dates, percentages, bare numbers. */
export function isDynamicText(text: string): boolean {
  const words = text.trim()
  return (
    isClockText(words) || /^\d+([.,]\d+)?\s*%$/.test(words) || /^(\d+|[\d,]{1,10})$/.test(words)
  )
}

/** Text that changes with the hour alone. */
export function isClockText(text: string): boolean {
  return /(^|\D)\d{1,2}:\d{2}(\D|$)/.test(text) || /\d{4}-\d{2}-\d{2}/.test(text)
}

/**
 * The identity of what a screen shows, as other tools compute it: the first fifty named elements from
 * the top, without places and states. A toggle or a slider leaves it unchanged; `content_hash` does not.
 */
export function fingerprintOf({ activity, resolution, elements }: Screen): string {
  const named = elements
    .filter(({ visible }) => visible)
    .filter((one) => one.clickable || one.enabled || one.text !== null || one.resource_id !== null)
    .map((element) => ({
      at: element.bounds ?? [0, 0, 0, 0],
      shown: {
        type: element.type,
        resourceId: element.resource_id,
        text: maskedText(element),
        contentDesc: element.content_description,
      },
    }))
    .filter(
      ({ shown }) => shown.text !== '' || shown.resourceId !== null || shown.contentDesc !== null,
    )
    .toSorted((a, b) => a.at[1] - b.at[1] || a.at[0] - b.at[0])
    .slice(0, 50)
    .map(({ shown }) => shown)
  return hash({ activity, resolution, elements: named })
}

/** Which screen this is, whatever it shows: activity, resource ids and roles. */
export function screenIdOf({ activity, elements }: Screen): string {
  const parts = new Set(
    elements
      .filter(({ visible }) => visible)
      .map(({ resource_id, matcher_role }) => `${resource_id ?? ''}|${matcher_role}`),
  )
  return hash([activity, [...parts].toSorted()])
}

/** What a screen shows: its identity, its words without those that tick, and its states. */
export function contentHashOf(
  screenId: string,
  { masked_text, state }: Pick<ScreenDigests, 'masked_text' | 'state'>,
): string {
  return hash([screenId, masked_text, state])
}

export function digestsOf(screen: Screen): ScreenDigests {
  const visible = screen.elements.filter((element) => element.visible)
  return {
    screen: hash([screen.activity, screen.package, screen.rotation, screen.resolution]),
    structure: hash(visible.map(skeletonOf)),
    text: hash(visible.map((element) => wordsOf(element, isClockText))),
    masked_text: hash(visible.map((element) => wordsOf(element, isDynamicText))),
    state: hash(visible.map(stateOf)),
  }
}

export function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

function maskedText({ text }: SnapshotElement): string {
  if (text === null || isDynamicText(text)) return ''
  return text.trim().toLowerCase()
}

/** Places below a 4 px grid are noise of animations. */
function skeletonOf(element: SnapshotElement): unknown {
  const { depth, type, resource_id, clickable, checkable, scrollable, bounds } = element
  const cell = bounds?.map((edge) => Math.round(edge / 4))
  return [depth, type, resource_id, clickable, checkable, scrollable, cell]
}

function wordsOf(
  { text, content_description }: SnapshotElement,
  isNoise: (text: string) => boolean,
): unknown {
  return [text, content_description].map((words) =>
    words === null || isNoise(words) ? null : words.trim(),
  )
}

function stateOf({ state }: SnapshotElement): unknown {
  const { enabled, selected, checked, expanded, value } = state
  return [enabled ?? null, selected ?? null, checked ?? null, expanded ?? null, value ?? null]
}
