import { createHash } from 'node:crypto'
import type { ScreenDigests, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import { finishNow, mapInParts, type Sliced } from './tree/slices.ts'

export interface Screen {
  readonly activity: string | null
  readonly package: string | null
  readonly rotation: number
  readonly resolution: { readonly width: number; readonly height: number } | null
  readonly elements: readonly SnapshotElement[]
}

/** Text that changes without user action: clock times, dates, percentages, plain numbers. */
export function isDynamicText(text: string): boolean {
  const trimmed = text.trim()
  return isClockText(trimmed) || /^\d+([.,]\d+)?\s*%$/.test(trimmed) || /^(\d+|[\d,]{1,10})$/.test(trimmed)
}

/** Text that contains a clock time or a date. */
export function isClockText(text: string): boolean {
  return /(^|\D)\d{1,2}:\d{2}(\D|$)/.test(text) || /\d{4}-\d{2}-\d{2}/.test(text)
}

/**
 * Computes the fingerprint as other tools do: from the first fifty named elements from the top, without
 * positions and states. A toggle or a slider changes `content_hash`, but not the fingerprint.
 */
export function computeFingerprint({ activity, resolution, elements }: Screen): string {
  const named = elements
    .filter(({ visible }) => visible)
    .filter((one) => one.clickable || one.enabled || one.text !== null || one.resource_id !== null)
    .map((element) => ({
      at: element.bounds ?? [0, 0, 0, 0],
      content: {
        type: element.type,
        resourceId: element.resource_id,
        text: maskText(element),
        contentDesc: element.content_description,
      },
    }))
    .filter(({ content }) => content.text !== '' || content.resourceId !== null || content.contentDesc !== null)
    .toSorted((a, b) => a.at[1] - b.at[1] || a.at[0] - b.at[0])
    .slice(0, 50)
    .map(({ content }) => content)
  return hash({ activity, resolution, elements: named })
}

/** Identifies a screen independently of its content: by activity, resource ids and roles. */
export function computeScreenId({ activity, elements }: Screen): string {
  const parts = new Set(
    elements
      .filter(({ visible }) => visible)
      .map(({ resource_id, matcher_role }) => `${resource_id ?? ''}|${matcher_role}`),
  )
  return hash([activity, [...parts].toSorted()])
}

/** Hashes the content of a screen: its id, its text without dynamic text, and its states. */
export function computeContentHash(
  screenId: string,
  { masked_text, state }: Pick<ScreenDigests, 'masked_text' | 'state'>,
): string {
  return hash([screenId, masked_text, state])
}

export function computeDigests(screen: Screen): ScreenDigests {
  return finishNow(computeDigestsInParts(screen))
}

export function* computeDigestsInParts(screen: Screen): Sliced<ScreenDigests> {
  const visible = screen.elements.filter((element) => element.visible)
  return {
    screen: hash([screen.activity, screen.package, screen.rotation, screen.resolution]),
    structure: yield* hashList(visible, toSkeleton),
    text: yield* hashList(visible, (element) => toTexts(element, isClockText)),
    masked_text: yield* hashList(visible, (element) => toTexts(element, isDynamicText)),
    state: yield* hashList(visible, toState),
  }
}

/** The hash of the converted items as one JSON array. */
function* hashList<T>(items: readonly T[], convert: (item: T) => unknown): Sliced<string> {
  const texts = yield* mapInParts(items, (item) => JSON.stringify(convert(item)))
  yield
  return createHash('sha256')
    .update(`[${texts.join(',')}]`)
    .digest('hex')
}

export function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

function maskText({ text }: SnapshotElement): string {
  if (text === null || isDynamicText(text)) return ''
  return text.trim().toLowerCase()
}

/** Bounds are rounded to a 4 px grid, because animations change them slightly. */
function toSkeleton(element: SnapshotElement): unknown {
  const { depth, type, resource_id, clickable, checkable, scrollable, bounds } = element
  const cell = bounds?.map((edge) => Math.round(edge / 4))
  return [depth, type, resource_id, clickable, checkable, scrollable, cell]
}

function toTexts({ text, content_description }: SnapshotElement, isNoise: (text: string) => boolean): unknown {
  return [text, content_description].map((value) => (value === null || isNoise(value) ? null : value.trim()))
}

function toState({ state }: SnapshotElement): unknown {
  const { enabled, selected, checked, expanded, value } = state
  return [enabled ?? null, selected ?? null, checked ?? null, expanded ?? null, value ?? null]
}
