import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Phone } from '@apprentice/phone/phone.ts'
import type { LabAction } from '../bench/learning-lab.ts'
import { open } from '../bench/learning-actions.ts'
import { expectRecipe, learn, listDescriptions, listInputNames, useLab } from './lab.ts'

const QUEUE = 'org.example.printqueue'
const options = { appsDirs: [join(import.meta.dirname, 'apps')] }
const lab = useLab()

const swipe = (name: string, direction: string): LabAction => ({
  action: { type: 'swipe', params: { matcher: { textEquals: name }, direction } },
})

const drag = (name: string, onto: string): LabAction => {
  const matcher = { contentDescEquals: 'Reorder', row: [{ textEquals: name }] }
  return { action: { type: 'swipe', params: { matcher, onto: { textEquals: onto }, durationMs: 800 } } }
}

const listJobs = (phone: Phone): string[] =>
  (phone.state(QUEUE).saved['jobs'] as { name: string }[]).map(({ name }) => name)

const makeStuck = (phone: Phone): void => {
  phone.setState(QUEUE, { saved: { stuck: true } })
}

async function run(recipe: Recipe, inputs: object, prepare?: (phone: Phone) => void) {
  const { envelope, phone, touches } = await lab().run(recipe, { inputs: { ...inputs }, options, prepare })
  return { status: envelope?.status, jobs: listJobs(phone), touches }
}

test('an entry that was swiped away is swiped away by its name, and its absence is the proof', async () => {
  const workflow = await learn(lab(), [open(QUEUE), swipe('Travel form', 'left')], { options })
  const recipe = expectRecipe(workflow)
  expect(listDescriptions(workflow)).toEqual(['Swipe the given job left'])
  expect(recipe.steps.at(-1)).toMatchObject({ type: 'swipe', params: { direction: 'left' } })
  expect(recipe.verification?.at(-1)).toMatchObject({ present: false, whole_list: true })
  const others = ['Annual report', 'Travel form', 'Price list']
  expect(await run(recipe, { job: 'Seating plan' })).toMatchObject({ status: 'success', jobs: others })
  expect(await run(recipe, { job: 'Seating plan' }, makeStuck)).toMatchObject({ status: 'failed' })
  expect(await run(recipe, { job: 'Lost letter' })).toMatchObject({ status: 'failed', jobs: { length: 4 } })
})

test('an entry that was dragged to the top is proved by its place, and stays if it is there', async () => {
  const workflow = await learn(lab(), [open(QUEUE), drag('Price list', 'Annual report')], { options })
  const recipe = expectRecipe(workflow)
  expect(listDescriptions(workflow)).toEqual(['Move the given job first in the list'])
  expect(recipe.verification).toMatchObject([{ selector: { entry_position: 'first' } }])
  expect(await run(recipe, { job: 'Seating plan' })).toMatchObject({
    status: 'success',
    jobs: ['Seating plan', 'Annual report', 'Travel form', 'Price list'],
  })
  expect(await run(recipe, { job: 'Annual report' })).toMatchObject({ status: 'success', touches: 0 })
  expect(await run(recipe, { job: 'Seating plan' }, makeStuck)).toMatchObject({ status: 'failed' })
})

test('an entry that was dragged beside another one is placed beside a given one', async () => {
  const workflow = await learn(lab(), [open(QUEUE), drag('Price list', 'Travel form')], { options })
  const recipe = expectRecipe(workflow)
  const [moved = '', beside = ''] = listInputNames(workflow)
  expect(recipe.verification).toMatchObject([{ selector: { followed_by: [{ part_equals: `\${inputs.${beside}}` }] } }])
  expect(await run(recipe, { [moved]: 'Price list', [beside]: 'Seating plan' })).toMatchObject({
    status: 'success',
    jobs: ['Annual report', 'Travel form', 'Price list', 'Seating plan'],
  })
  expect(await run(recipe, { [moved]: 'Price list', [beside]: 'Seating plan' }, makeStuck)).toMatchObject({
    status: 'failed',
  })
})
