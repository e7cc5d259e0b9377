import { expect, test } from 'vitest'
import { abilityId, improved, install, installed } from './installing.ts'
import { aTemplate, endingAfter } from './killing.ts'

const numbered = (what: string, ...numbers: readonly number[]) => numbers.map((n) => `${what}:${n}`)
const mail = { goal: 'Share a note as PDF by mail' }

test('killed at any moment of an improvement, inside the swap too, the daemon ends it', async () => {
  const template = await aTemplate(async (daemon) => {
    await installed(daemon)
    const { url } = await improved(daemon, mail)
    return { method: 'POST', url: `${url}/install` }
  })
  const ending = await endingAfter(template, 'never')
  expect(ending).toMatchObject({
    status: 200,
    left: [],
    ability: { usable_now: true, current_version: 2, title: mail.goal },
    versions: [{ retired: true }, { retired: false }],
    sagas: [{ status: 'completed' }, { status: 'completed', attempts: 1 }],
  })

  const moments = [
    ...numbered('inside', 2, 3, 4, 5, 6),
    ...numbered('after', 1, 2, 3, 4, 5),
    // Before the old folder goes, before the new one comes, and before the old one is thrown away.
    ...numbered('rename', 7, 8, 13, 14),
    ...numbered('rm', 9, 16),
  ]
  for (const moment of moments) {
    expect(await endingAfter(template, moment), moment).toEqual(ending)
  }
}, 600_000)

test('killed while it returns to an earlier version, the daemon gets there', async () => {
  const template = await aTemplate(async (daemon) => {
    await installed(daemon)
    await install(daemon, await improved(daemon, mail))
    return { method: 'POST', url: `/api/abilities/${abilityId}/rollback` }
  })
  const ending = await endingAfter(template, 'never')
  expect(ending).toMatchObject({ status: 200, ability: { current_version: 3, usable_now: true } })
  for (const moment of ['after:1', 'after:2', 'inside:4', 'rename:11']) {
    expect(await endingAfter(template, moment), moment).toEqual(ending)
  }
}, 600_000)

test('killed while it removes an ability, the daemon leaves nothing of it', async () => {
  const template = await aTemplate(async (daemon) => {
    await installed(daemon)
    return { method: 'DELETE', url: `/api/abilities/${abilityId}` }
  })
  const ending = await endingAfter(template, 'never')
  expect(ending).toMatchObject({
    status: 200,
    files: { canonical: {}, projected: {} },
    left: [],
    versions: [],
    entries: [],
    health: [],
  })
  for (const moment of [
    'inside:1',
    'after:1',
    'rename:1',
    'rename:2',
    'rm:2',
    'inside:2',
    'after:2',
  ]) {
    expect(await endingAfter(template, moment), moment).toEqual(ending)
  }
}, 600_000)
