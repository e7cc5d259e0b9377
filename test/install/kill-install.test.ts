import { expect, test } from 'vitest'
import { putForeign } from './faults.ts'
import { projected, reviewed, slug } from './installing.ts'
import { aTemplate, endingAfter } from './killing.ts'

const numbered = (what: string, ...numbers: readonly number[]) => numbers.map((n) => `${what}:${n}`)

test('killed at any moment of a first installation, the daemon ends it as if nothing had been', async () => {
  const template = await aTemplate(async (daemon) => {
    const { url } = await reviewed(daemon)
    return { method: 'POST', url: `${url}/install` }
  })
  const ending = await endingAfter(template, 'never')
  expect(ending).toMatchObject({
    status: 200,
    left: [],
    ability: { usable_now: true, current_version: 1 },
    sagas: [{ status: 'completed', step: 'done', attempts: 1 }],
    proposals: [{ proposal_state: 'installed_private' }],
  })

  const moments = [
    ...numbered('inside', 1, 2, 3, 4, 5, 6),
    ...numbered('after', 1, 2, 3, 4, 5, 6),
    // The first file, and both folders just before they get their name.
    ...numbered('rename', 1, 5, 11),
  ]
  for (const moment of moments) {
    expect(await endingAfter(template, moment), moment).toEqual(ending)
  }
}, 600_000)

test('killed at any moment of taking back, the daemon ends up with everything as it was', async () => {
  const template = await aTemplate(async (daemon) => {
    putForeign(projected(daemon), slug)
    const { url } = await reviewed(daemon)
    return { method: 'POST', url: `${url}/install` }
  })
  const ending = await endingAfter(template, 'never')
  expect(ending).toMatchObject({
    status: 500,
    files: {
      canonical: {},
      projected: { [`${slug}/SKILL.md`]: expect.stringContaining('by hand') },
    },
    left: [],
    ability: {},
    versions: [],
    sagas: [{ status: 'compensated', error_code: 'MATERIALIZATION_FAILED' }],
    proposals: [{ proposal_state: 'quarantined' }],
  })

  // The folder is put away again between the third and the fourth state.
  for (const moment of [
    ...numbered('inside', 3, 4),
    ...numbered('after', 2, 3),
    'rename:6',
    'rm:8',
  ]) {
    expect(await endingAfter(template, moment), moment).toEqual(ending)
  }
}, 600_000)
