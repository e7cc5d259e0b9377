import type { Locator, Page } from 'playwright-core'
import { compareToLimit, type Measure } from './figure.ts'

/** The pace of a person who knows the page but looks before each click. */
const LOOK_MS = 900
/** 60 words per minute. */
const KEY_MS = 200
const PATIENCE_MS = 120_000
const LIMIT_S = 120

interface Lesson {
  readonly goal: string
  /** What the person does on the phone. */
  readonly show: readonly Gesture[]
  /** The values of the run, which are not those of the demonstration. */
  readonly inputs: Readonly<Record<string, string>>
}

type Gesture = { readonly tap: string } | { readonly type: string } | { readonly see: string }

const tap = (name: string): Gesture => ({ tap: name })
const type = (text: string): Gesture => ({ type: text })
const see = (name: string): Gesture => ({ see: name })

const LESSONS: readonly Lesson[] = [
  {
    goal: 'Add a note',
    show: [
      tap('Notes'),
      tap('New note'),
      tap('Title'),
      type('Dentist'),
      tap('Write something'),
      type('Tuesday at nine'),
      tap('Save'),
    ],
    inputs: { title: 'Groceries', body: 'Eggs' },
  },
  {
    goal: 'Connect to a network',
    show: [tap('Settings'), tap('Network & internet'), tap('Office')],
    inputs: { network: 'Cafe Guest' },
  },
  {
    goal: 'Set the temperature of a unit',
    show: [tap('Climate'), tap('Lobby'), tap('+'), tap('Save'), see('Cancel'), tap('Save')],
    inputs: { unit: 'Kitchen', temperature: '24' },
  },
]

/** Teaches workflows from the first card to a verified run with other inputs, at the pace of a person. */
export async function measureLessons(page: Page, url: string): Promise<Measure[]> {
  const measures: Measure[] = []
  page.setDefaultTimeout(PATIENCE_MS)
  for (const lesson of LESSONS) {
    await page.goto(`${url}/learn/new`)
    const startedMs = performance.now()
    await teach(page, lesson)
    const seconds = (performance.now() - startedMs) / 1000
    measures.push(compareToLimit(LIMIT_S, { what: `lesson "${lesson.goal}"`, ours: seconds, unit: 's' }))
  }
  return measures
}

async function teach(page: Page, { goal, show, inputs }: Lesson): Promise<void> {
  await press(page, page.getByRole('button', { name: 'Demonstrating Skill' }))
  await fill(page, page.getByLabel('Goal'), goal)
  await press(page, page.getByRole('button', { name: 'Start the lesson' }))
  await page.getByRole('heading', { name: goal }).waitFor()
  await page.locator('.screen[data-frame]').waitFor()
  await press(page, page.getByRole('button', { name: 'Home', exact: true }))
  for (const act of show) {
    if ('tap' in act) await tapPhone(page, act.tap)
    else if ('see' in act) await findTarget(page, act.see).waitFor()
    else await page.keyboard.type(act.type, { delay: KEY_MS })
  }
  await page.locator('.understood .proof').first().waitFor()
  await press(page, page.getByRole('button', { name: 'Done' }))
  const drawer = page.locator('dialog.drawer')
  const questions = page.locator('form.questions')
  await drawer.locator('.decisions').or(questions).first().waitFor()
  if (await questions.isVisible()) {
    await press(page, questions.locator('input[type=radio]').first())
    await press(page, questions.getByRole('button', { name: 'Answer and go on' }))
  }
  await press(page, drawer.getByRole('button', { name: 'Test', exact: true }))
  await drawer.locator('.tests .badge', { hasText: 'passed' }).waitFor()
  await press(page, drawer.getByRole('button', { name: 'Install privately' }))
  await press(page, drawer.getByRole('link', { name: 'Run it' }))
  await run(page, inputs)
}

async function run(page: Page, inputs: Lesson['inputs']): Promise<void> {
  const form = page.locator('.run-form')
  for (const [name, value] of Object.entries(inputs)) {
    const field = form.locator(`[name^="${name}"]`)
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value)
    else await fill(page, field, value)
  }
  await press(page, form.getByRole('button', { name: 'Run', exact: true }))
  await page.locator('.run-result .badge', { hasText: 'success' }).waitFor()
}

async function press(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  await page.waitForTimeout(LOOK_MS)
  await target.click()
}

async function fill(page: Page, field: Locator, text: string): Promise<void> {
  await press(page, field)
  await field.pressSequentially(text, { delay: KEY_MS })
}

/** Names that occur more than once are followed by the text beside them. */
const findTarget = (page: Page, name: string): Locator =>
  page
    .getByRole('button', { name: new RegExp(`^Tap ${name.replaceAll(/[+.?*]/g, String.raw`\$&`)}(?:,|$)`, 'i') })
    .last()

/** Clicks the picture where the page says that the element is. The last one of a name is in the window in front. */
async function tapPhone(page: Page, name: string): Promise<void> {
  const target = findTarget(page, name)
  await target.waitFor()
  await page.waitForTimeout(LOOK_MS)
  const box = await target.boundingBox()
  if (box === null) throw new Error(`The phone does not show ${name}.`)
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
}
