import { expect, test } from 'vitest'
import { writeForeignFolder } from './faults.ts'
import { projectedRoot, prepareProposal, SLUG } from './install-kit.ts'
import { createTemplate, readEndingsAfter, readUndisturbedEnding } from './kill-moments.ts'

const listMoments = (what: string, ...numbers: readonly number[]) => numbers.map((n) => `${what}:${n}`)

test('a first installation ends in the same state wherever the daemon is killed', async () => {
  const template = await createTemplate(async (daemon) => {
    const { url } = await prepareProposal(daemon)
    return { method: 'POST', url: `${url}/install` }
  })
  const ending = await readUndisturbedEnding(template)
  expect(ending).toMatchObject({
    status: 200,
    temporary: [],
    ability: { usable_now: true, current_version: 1 },
    sagas: [{ status: 'completed', step: 'done', attempts: 1 }],
    proposals: [{ proposal_state: 'installed_private' }],
  })

  const moments = [
    ...listMoments('inside', 1, 2, 3, 4, 5, 6),
    ...listMoments('after', 1, 2, 3, 4, 5),
    // The first file, and both folders just before they are renamed to their final name.
    ...listMoments('rename', 1, 5, 11),
    'after:6',
  ]
  for await (const { moment, ending: reached } of readEndingsAfter(template, moments)) {
    expect(reached, moment).toEqual(ending)
  }
}, 600_000)

test('a compensation ends in the same state wherever the daemon is killed', async () => {
  const template = await createTemplate(async (daemon) => {
    writeForeignFolder(projectedRoot(daemon), SLUG)
    const { url } = await prepareProposal(daemon)
    return { method: 'POST', url: `${url}/install` }
  })
  const ending = await readUndisturbedEnding(template)
  expect(ending).toMatchObject({
    status: 500,
    files: {
      canonical: {},
      projected: { [`${SLUG}/SKILL.md`]: expect.stringContaining('by hand') },
    },
    temporary: [],
    ability: {},
    versions: [],
    sagas: [{ status: 'compensated', error_code: 'MATERIALIZATION_FAILED' }],
    proposals: [{ proposal_state: 'quarantined' }],
  })

  // The canonical folder is removed between the third and the fourth state.
  const moments = ['rename:6', 'rm:8', ...listMoments('after', 2, 3), ...listMoments('inside', 3, 4)]
  for await (const { moment, ending: reached } of readEndingsAfter(template, moments)) {
    expect(reached, moment).toEqual(ending)
  }
}, 600_000)
