import type { ElementBounds } from '@apprentice/contracts/learn/elements.ts'
import type { Phone } from '@apprentice/phone/phone.ts'
import type { Lesson } from '../apps/lesson-format.ts'
import { findNode } from '../apps/perform-step.ts'

/** The place of the element that a person would point at to show that the lesson worked. Undefined if there is none. */
export function locateProof(phone: Phone, { proof }: Lesson): ElementBounds | undefined {
  if (proof === undefined) return undefined
  try {
    const { left, top, right, bottom } = findNode(phone, proof).bounds
    return { left, top, right, bottom }
  } catch {
    return undefined
  }
}

/** The first of the offered elements at the place that the person points at. */
export function choosePointed<T extends { readonly bounds?: ElementBounds | null | undefined }>(
  offered: readonly T[],
  place: ElementBounds | undefined,
): T | undefined {
  return place === undefined ? undefined : offered.find(({ bounds }) => bounds != null && isSamePlace(bounds, place))
}

const isSamePlace = (one: ElementBounds, other: ElementBounds): boolean =>
  one.left === other.left && one.top === other.top && one.right === other.right && one.bottom === other.bottom
