import { setTimeout as sleep } from 'node:timers/promises'
import type { Phone, ScreenNode } from '@apprentice/phone/phone.ts'
import type { DemonstrationStep, Target } from './lesson-format.ts'

type Pass = (ms: number) => void | Promise<void>

/** A person waits until the element is on the screen, here for at most six seconds. */
export async function waitForStep(phone: Phone, step: DemonstrationStep, pass: Pass): Promise<void> {
  const target = readTarget(step)
  if (target === undefined) return
  for (let waitedMs = 0; waitedMs < 6000; waitedMs += 200) {
    try {
      findCenter(phone, target)
      return
    } catch {
      await pass(200)
    }
  }
}

function readTarget(step: DemonstrationStep): Target | undefined {
  if ('tap' in step) return step.tap
  if ('long_press' in step) return step.long_press
  if ('into' in step) return step.into
  if ('drag' in step) return step.drag
  return 'swipe' in step ? step.on : undefined
}

/** Performs one step as a person does. */
export async function performStep(
  phone: Phone,
  step: DemonstrationStep,
  pass: Pass = (ms) => sleep(ms),
): Promise<void> {
  if ('wait_ms' in step) return pass(step.wait_ms)
  if ('key' in step) return phone.person.typeKey(step.key.toUpperCase())
  if ('drag' in step) return phone.person.drag(...planSwipe(phone, step))
  if ('swipe' in step || 'pull' in step) return phone.person.swipe(...planSwipe(phone, step))
  if ('type' in step) return typeInto(phone, step)
  const target = 'tap' in step ? step.tap : step.long_press
  const [x, y] = findCenter(phone, target)
  await phone.person.touch(x, y, 'tap' in step ? 80 : 1000)
}

async function typeInto(phone: Phone, step: Extract<DemonstrationStep, { type: string }>): Promise<void> {
  const [x, y] = findCenter(phone, step.into)
  await phone.person.touch(x, y)
  const focused = phone.screenNodes().find(({ focused: isFocused }) => isFocused)
  const length = step.append === true ? 0 : (focused?.text.length ?? 0)
  for (let n = length; n > 0; n -= 1) await phone.person.typeKey('DEL')
  await phone.person.typeText(step.type)
}

type Point = readonly [number, number]

export type MovingStep = Extract<DemonstrationStep, { swipe: string } | { pull: string } | { to: Target }>

/** Start and end of the finger's way. */
export function planSwipe(phone: Phone, step: MovingStep): readonly [Point, Point] {
  if ('drag' in step) return [findCenter(phone, step.drag), findCenter(phone, step.to)]
  if ('pull' in step) return PULLS[step.pull]
  const [x, y] = step.on === undefined ? ([540, 1300] as const) : findCenter(phone, step.on)
  const [dx, dy] = MOVES[step.swipe]
  const middle = Math.min(Math.max(x, Math.abs(dx) / 2), WIDTH - Math.abs(dx) / 2)
  return [
    [middle - dx / 2, y - dy / 2],
    [middle + dx / 2, y + dy / 2],
  ]
}

/** The finger stays on the screen. */
const WIDTH = 1080

const MOVES = { up: [0, -600], down: [0, 600], left: [-400, 0], right: [400, 0] } as const

const PULLS = {
  down: [
    [540, 700],
    [540, 1500],
  ],
  shade: [
    [540, 20],
    [540, 1200],
  ],
} as const

/** The middle of the one element that a target names. */
export function findCenter(phone: Phone, target: Target): Point {
  const { left, top, right, bottom } = findNode(phone, target).bounds
  return [Math.floor((left + right) / 2), Math.floor((top + bottom) / 2)]
}

/** The one element that a target names. Throws if there is none or more than one. */
export function findNode(phone: Phone, target: Target): ScreenNode {
  const nodes = phone.screenNodes()
  const wanted = typeof target === 'string' ? {} : target
  const matches = nodes.filter((node) => {
    if (typeof target === 'string') return node.text === target || node.description === target
    const { text, description, id } = target
    return (
      (text === undefined || node.text === text) &&
      (description === undefined || node.description === description) &&
      (id === undefined || node.resourceId === id || node.resourceId.endsWith(`:id/${id}`))
    )
  })
  if (wanted.near !== undefined) {
    const landmark = findNode(phone, wanted.near)
    matches.sort((a, b) => distance(a, landmark) - distance(b, landmark))
    matches.splice(1)
  } else if (wanted.nth !== undefined) {
    matches.splice(0, matches.length, ...matches.slice(wanted.nth, wanted.nth + 1))
  } else {
    // A label inside a control of the same name is the same thing for a person.
    const outermost = matches.filter((node) => !matches.some((other) => other !== node && surrounds(other, node)))
    matches.splice(0, matches.length, ...outermost)
  }
  const [found] = matches
  if (found === undefined || matches.length !== 1) {
    const visible = nodes.map(({ text, description }) => text || description).filter(Boolean)
    throw new Error(`${JSON.stringify(target)} matches ${matches.length} elements of: ${visible.join(' | ')}`)
  }
  return found
}

function surrounds({ bounds: outer }: ScreenNode, { bounds: inner }: ScreenNode): boolean {
  const within = outer.left <= inner.left && outer.top <= inner.top
  const isLarger =
    outer.right - outer.left > inner.right - inner.left || outer.bottom - outer.top > inner.bottom - inner.top
  return within && outer.right >= inner.right && outer.bottom >= inner.bottom && isLarger
}

function distance(a: ScreenNode, b: ScreenNode): number {
  const middle = ({ bounds }: ScreenNode) => [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2]
  const [[ax = 0, ay = 0], [bx = 0, by = 0]] = [middle(a), middle(b)]
  // Elements of one row are closer than elements of one column.
  return Math.abs(ax - bx) / 4 + Math.abs(ay - by)
}
