import type { ScreenElement } from '@apprentice/contracts/devices/screen.ts'
import { t } from '../text/text.ts'
import type { Point } from './gestures.ts'

export const canBeTapped = ({ clickable, enabled }: ScreenElement): boolean => clickable && enabled

/** The smallest element at a point, so that a button is found before the row that contains it. */
export function findElementAt(elements: readonly ScreenElement[], { x, y }: Point): ScreenElement | undefined {
  const measureArea = ({ bounds: [left, top, right, bottom] }: ScreenElement): number => (right - left) * (bottom - top)
  return elements
    .filter(({ bounds: [left, top, right, bottom] }) => left <= x && x < right && top <= y && y < bottom)
    .toSorted((a, b) => measureArea(a) - measureArea(b))[0]
}

export const findCentre = ({ bounds: [left, top, right, bottom] }: ScreenElement): Point => ({
  x: Math.floor((left + right) / 2),
  y: Math.floor((top + bottom) / 2),
})

export function readName({ label, resource_id, password, role }: ScreenElement): string {
  if (password) return t.phone.passwordField
  return label || (resource_id?.split('/').at(-1) ?? '') || role || t.phone.element
}

export function describeKind({ role, clickable, scrollable }: ScreenElement): string {
  if (role !== null && role !== 'container') return role.replaceAll('_', ' ')
  if (clickable) return t.phone.tappable
  return scrollable ? t.phone.scrollable : t.phone.content
}

/**
 * The names of elements for buttons over them. Elements of the same name, such as the same button in each row, are told
 * apart by the text that lies in the same line.
 */
export function nameTargets(elements: readonly ScreenElement[]): ReadonlyMap<ScreenElement, string> {
  const targets = elements.filter(canBeTapped)
  const names = new Map(targets.map((target) => [target, readInnerTexts(elements, target) || readName(target)]))
  const counts = new Map<string, number>()
  for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    [...names].map(([target, name]) => {
      const neighbour = (counts.get(name) ?? 0) > 1 ? findNeighbour(elements, target, name) : undefined
      return [target, neighbour === undefined ? name : `${name}, ${neighbour}`]
    }),
  )
}

const MAX_INNER_TEXTS = 3

/** A row without a label of its own is called by the texts in it. Empty if it has a label, or nothing in it has one. */
function readInnerTexts(elements: readonly ScreenElement[], target: ScreenElement): string {
  const [left, top, right, bottom] = target.bounds
  if (target.label !== '' || target.password) return ''
  return elements
    .filter(({ bounds: [x, y, toX, toY] }) => x >= left && y >= top && toX <= right && toY <= bottom)
    .flatMap(({ label }) => (label === '' ? [] : [label]))
    .slice(0, MAX_INNER_TEXTS)
    .join(', ')
}

function findNeighbour(elements: readonly ScreenElement[], target: ScreenElement, name: string): string | undefined {
  const { y } = findCentre(target)
  return elements.find(
    ({ label, bounds: [, top, , bottom] }) => label !== '' && label !== name && top <= y && y < bottom,
  )?.label
}

/** Places an element of the phone's screen over the picture, in percent of it. */
export function placeElement(
  { bounds: [left, top, right, bottom] }: ScreenElement,
  { width, height }: { readonly width: number; readonly height: number },
): Record<string, string> {
  const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`
  return {
    left: percent(left, width),
    top: percent(top, height),
    width: percent(right - left, width),
    height: percent(bottom - top, height),
  }
}
