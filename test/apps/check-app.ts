import { existsSync, mkdtempSync, copyFileSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { evaluate, isTrue } from '@apprentice/phone/documents/evaluation.ts'
import { parseExpression } from '@apprentice/phone/documents/expression.ts'
import { createManualClock, createPhone, type Phone, type ScreenNode } from '@apprentice/phone/phone.ts'
import { type DemonstrationStep, type Lesson, LessonsFile, type Target } from './lesson-format.ts'
import { findOtherChanges } from './saved-keys.ts'

export interface AppCheck {
  readonly faults: string[]
  readonly lessons: number
  readonly variations: number
}

/** Validates `<path>.json` and `<path>.lessons.json` and performs every demonstration on a simulated phone. */
export async function checkApp(path: string): Promise<AppCheck> {
  const faults: string[] = []
  const [documentFile, lessonsFile] = [`${path}.json`, `${path}.lessons.json`]
  for (const file of [documentFile, lessonsFile]) {
    if (!existsSync(file)) return { faults: [`${file} does not exist`], lessons: 0, variations: 0 }
  }
  const read = LessonsFile.safeParse(JSON.parse(readFileSync(lessonsFile, 'utf8')))
  if (!read.success) {
    const problems = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    return { faults: problems, lessons: 0, variations: 0 }
  }
  const app = { packageName: read.data.package, label: readLabel(documentFile) }
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-app-'))
  copyFileSync(documentFile, join(folder, basename(documentFile)))
  try {
    for (const lesson of read.data.lessons) {
      const problems = await checkLesson(folder, app, lesson)
      faults.push(...problems.map((problem) => `${lesson.name}: ${problem}`))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const variations = read.data.lessons.reduce((sum, lesson) => sum + lesson.variations.length, 0)
  return { faults, lessons: read.data.lessons.length, variations }
}

async function checkLesson(
  folder: string,
  { packageName, label }: { packageName: string; label: string },
  lesson: Lesson,
): Promise<string[]> {
  const clock = createManualClock(Date.parse('2026-03-02T09:30:00.000Z'))
  const phone = createPhone({ appsDirs: [folder], clock })
  if (phone.documentReports.length > 0) {
    return phone.documentReports.map(({ path, reason }) => `document ${path}: ${reason}`)
  }
  const faults = checkVariations(phone, packageName, lesson)
  phone.setState(packageName, { saved: lesson.prepare })
  if (holds(phone, packageName, lesson.end)) faults.push('end is true before the demonstration')
  const { saved: before } = phone.state(packageName)
  try {
    await openApp(phone, packageName, label)
    const pass = (ms: number) => clock.advance(ms)
    for (const step of lesson.demonstration) {
      await waitForStep(phone, step, pass)
      await performStep(phone, step, pass)
      clock.advance(300)
    }
  } catch (error) {
    return [...faults, error instanceof Error ? error.message : String(error)]
  }
  clock.advance(3000)
  if (!holds(phone, packageName, lesson.end)) faults.push('end is not true after the demonstration')
  const changes = findOtherChanges(lesson.end, before, phone.state(packageName).saved)
  faults.push(...changes.map((key) => `the demonstration changes saved.${key}, end does not mention it`))
  return faults
}

/** Checks what can be checked without a run: the expressions, the inputs, and the state before the run. */
function checkVariations(phone: Phone, packageName: string, lesson: Lesson): string[] {
  const known = new Set(lesson.inputs.map(({ key }) => key))
  return lesson.variations.flatMap(({ name, kind, inputs, end, prepare }) => {
    const unknown = Object.keys(inputs).filter((key) => !known.has(key))
    const problems = unknown.map((key) => `${name}: input ${key} is not declared`)
    phone.resetApp(packageName)
    phone.setState(packageName, { saved: prepare ?? lesson.prepare })
    const before = holds(phone, packageName, end)
    if (['same', 'other_value', 'other_entry'].includes(kind) && before) {
      problems.push(`${name}: end is true before the run`)
    }
    if (kind === 'already_done' && !before) problems.push(`${name}: end is false before the run`)
    phone.resetApp(packageName)
    return problems
  })
}

/** Whether the expression over `saved` is true on the phone. */
export function holds(phone: Phone, packageName: string, expression: string): boolean {
  const { saved } = phone.state(packageName)
  const scope = { names: { saved }, translate: (key: string) => key }
  return isTrue(evaluate(parseExpression(expression), scope))
}

/** The label of an app document, in its default locale. */
export function readLabel(file: string): string {
  const {
    label,
    strings = {},
    default_locale = 'en',
  } = JSON.parse(readFileSync(file, 'utf8')) as {
    label: string
    strings?: Record<string, Record<string, string>>
    default_locale?: string
  }
  return label.startsWith('@') ? (strings[default_locale]?.[label.slice(1)] ?? label) : label
}

/** Touches the icon of the app in the launcher. */
async function openApp(phone: Phone, packageName: string, label: string): Promise<void> {
  const [x, y] = findCenter(phone, { description: label })
  await phone.person.touch(x, y)
  if (phone.foreground()?.packageName !== packageName) throw new Error('the app did not open')
}

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
  if ('swipe' in step) return phone.person.swipe(...planSwipe(phone, step))
  if ('type' in step) return typeInto(phone, step.into, step.type)
  const target = 'tap' in step ? step.tap : step.long_press
  const [x, y] = findCenter(phone, target)
  await phone.person.touch(x, y, 'tap' in step ? 80 : 1000)
}

async function typeInto(phone: Phone, target: Target, text: string): Promise<void> {
  const [x, y] = findCenter(phone, target)
  await phone.person.touch(x, y)
  const focused = phone.screenNodes().find(({ focused: isFocused }) => isFocused)
  for (let n = focused?.text.length ?? 0; n > 0; n -= 1) await phone.person.typeKey('DEL')
  await phone.person.typeText(text)
}

type Point = readonly [number, number]

/** Start and end of a swipe. */
export function planSwipe(
  phone: Phone,
  { swipe: direction, on }: Extract<DemonstrationStep, { swipe: string }>,
): readonly [Point, Point] {
  const [x, y] = on === undefined ? ([540, 1300] as const) : findCenter(phone, on)
  const moves = { up: [0, -600], down: [0, 600], left: [-400, 0], right: [400, 0] } as const
  const [dx, dy] = moves[direction]
  return [
    [x - dx / 2, y - dy / 2],
    [x + dx / 2, y + dy / 2],
  ]
}

/** The middle of the one element that a target names. */
export function findCenter(phone: Phone, target: Target): Point {
  const { left, top, right, bottom } = findNode(phone, target).bounds
  return [Math.floor((left + right) / 2), Math.floor((top + bottom) / 2)]
}

function findNode(phone: Phone, target: Target): ScreenNode {
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
  } else if (wanted.nth !== undefined) matches.splice(0, matches.length, ...matches.slice(wanted.nth, wanted.nth + 1))
  const [found] = matches
  if (found === undefined || matches.length !== 1) {
    const visible = nodes.map(({ text, description }) => text || description).filter(Boolean)
    throw new Error(`${JSON.stringify(target)} matches ${matches.length} elements of: ${visible.join(' | ')}`)
  }
  return found
}

function distance(a: ScreenNode, b: ScreenNode): number {
  const middle = ({ bounds }: ScreenNode) => [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2]
  const [[ax = 0, ay = 0], [bx = 0, by = 0]] = [middle(a), middle(b)]
  // Elements of one row are closer than elements of one column.
  return Math.abs(ax - bx) / 4 + Math.abs(ay - by)
}
