import { expect, test } from 'vitest'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { retired } from '../../src/routes/retired.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { draftProposal, readProposal } from '../validation/drafts.ts'

/** Sends a request and repeats it at the Location of the 308 reply. */
async function followRedirect(daemon: Daemon, url: string, body: object) {
  const redirect = await daemon.post(url, body)
  expect(redirect.statusCode, redirect.body).toBe(308)
  return daemon.post(String(redirect.headers.location), body)
}

test('the successor of every retired route exists', () => {
  const known = new Set(allRoutes.map(({ method, url }) => `${method} ${url}`))
  const unknown = retired.filter(({ method, successor }) => !known.has(`${method} ${successor}`))
  expect(unknown).toEqual([])
})

test('a client of the old paths can revise, test and install a proposal', async () => {
  const daemon = await startDaemon()
  const { proposal } = await draftProposal(daemon)
  const old = `/api/skills/mining/proposals/${proposal}`

  const revised = await followRedirect(daemon, `${old}/feedback`, {
    edited_fields: { goal_summary: 'Shorter' },
  })
  expect(revised.statusCode, revised.body).toBe(200)
  const tested = await followRedirect(daemon, `${old}/test`, {})
  expect(tested.json(), tested.body).toMatchObject({ validation_run: { overall_result: 'passed' } })
  const installed = await followRedirect(daemon, `${old}/install-experimental`, {})
  expect(installed.statusCode, installed.body).toBe(200)
  expect(readProposal(daemon, proposal)).toMatchObject({
    proposal_state: 'installed_private',
    install_lane: 'experimental_private',
  })
})
