import { expect, test } from 'vitest'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { retired } from '../../src/routes/retired.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { drafted, stored } from '../validation/drafted.ts'

/** Does as a client does that is told to repeat its request elsewhere. */
async function following(daemon: Daemon, url: string, body: object) {
  const moved = await daemon.post(url, body)
  expect(moved.statusCode, moved.body).toBe(308)
  return daemon.post(String(moved.headers.location), body)
}

test('every retired route leads to one that is there', () => {
  const known = new Set(allRoutes.map(({ method, url }) => `${method} ${url}`))
  const astray = retired.filter(({ method, successor }) => !known.has(`${method} ${successor}`))
  expect(astray).toEqual([])
})

test('a client that knows only the old paths gets a proposal revised, tested and installed', async () => {
  const daemon = await startDaemon()
  const { proposal } = await drafted(daemon)
  const old = `/api/skills/mining/proposals/${proposal}`

  const revised = await following(daemon, `${old}/feedback`, { revision_instructions: 'Shorter' })
  expect(revised.statusCode, revised.body).toBe(200)
  const tested = await following(daemon, `${old}/test`, {})
  expect(tested.json(), tested.body).toMatchObject({ validation_run: { overall_result: 'passed' } })
  const installed = await following(daemon, `${old}/install-experimental`, {})
  expect(installed.statusCode, installed.body).toBe(200)
  expect(stored(daemon, proposal)).toMatchObject({
    proposal_state: 'installed_private',
    install_lane: 'experimental_private',
  })
})
