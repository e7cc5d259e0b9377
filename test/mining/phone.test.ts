import { expect, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import {
  CLIMATE_APP,
  listClusters,
  startPhone,
  execute,
  getProposal,
  repeatThreeTimes,
  scan,
  waitUntilSettled,
  listTemperatures,
  listTestRuns,
  buildWarmerActions,
} from './climate-phone.ts'

test('a workflow executed three times is drafted, tested, reviewed, installed and run', async () => {
  const { daemon, phone } = await startPhone()
  const executions = await repeatThreeTimes(daemon)
  expect(listTemperatures(phone, 'Reception', 'Lobby', 'Kitchen')).toEqual([23.5, 21.5, 21.5])

  const result = await scan(daemon)
  const clusters = await listClusters(daemon)
  expect(result, JSON.stringify(clusters)).toMatchObject({
    clusters_seen: 1,
    proposals_created: [expect.any(String)],
    gate_failures: [],
    build_failures: [],
  })
  const [proposal = ''] = result.proposals_created
  expect(clusters).toMatchObject([
    {
      app_family: CLIMATE_APP,
      normalized_goal: 'set the temperature of a unit',
      source_mode: 'elnor_observed',
      successful_trace_ids: executions,
      failed_trace_ids: [],
      variation_score: 0,
      verification_coverage_score: 1,
      project_specificity: 'project_scoped',
      proposal_id: proposal,
      owner_user_id: 'local',
    },
  ])
  expect(await waitUntilSettled(daemon, proposal)).toBe('ready_for_review')
  expect(listTestRuns(daemon, proposal)).toMatchObject([{ overall_result: 'passed' }])

  const url = `/api/learn/proposals/${proposal}`
  const detail = (await daemon.get(`${url}/detail`)).json<ProposalDetail>()
  expect(detail.proposal).toMatchObject({
    title: 'Set the temperature of a unit',
    source_trace_ids: executions,
    install_lane: 'pending',
  })
  expect(detail.interpretation).toMatchObject({ project_scope: 'project_scoped' })
  expect(daemon.session(detail.proposal.learn_session_id ?? '')).toMatchObject({
    owner_user_id: 'system:miner',
    reviewer_user_id: 'local',
    entry_mode: 'autonomous_agent_practice',
    actor_mode: 'agent_driven',
    project_id: 'house',
    state: 'ready_for_review',
  })
  // The draft contains no names of units.
  for (const name of ['SKILL.md', 'recipe.json', 'manifest.json']) {
    const file = (await daemon.get(`${url}/files/${name}`)).json<{ content: string }>()
    for (const unit of ['Reception', 'Lobby', 'Kitchen']) {
      expect(file.content, name).not.toContain(unit)
    }
  }

  const installed = await daemon.post(`${url}/install`, { install_lane: 'experimental_private' })
  expect(installed.statusCode, installed.body).toBeLessThan(300)
  expect(await waitUntilSettled(daemon, proposal)).toBe('installed_private')
  const { ability_id = '' } = getProposal(daemon, proposal)
  const recipe = detail.recipe as unknown as Recipe
  const inputs = Object.fromEntries(
    recipe.inputs.map(({ name, type }) => [name, type.startsWith('string') ? 'Library' : 22.5]),
  )
  const ran = await daemon.post(`/api/abilities/${ability_id}/run`, { inputs, wait_ms: 60_000 })
  expect(ran.json<{ run: AbilityRun }>().run, ran.body).toMatchObject({ state: 'success' })
  expect(listTemperatures(phone, 'Library', 'Reception', 'Lobby')).toEqual([22.5, 23.5, 21.5])
})

test('a cluster is built once, and its session does not use the session slot of the owner', async () => {
  const { daemon } = await startPhone()
  await repeatThreeTimes(daemon)
  const first = await scan(daemon)
  expect(first.proposals_created).toHaveLength(1)
  const own = await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' })
  expect(own.statusCode, own.body).toBe(201)

  await execute(daemon, buildWarmerActions('Lobby', 1), { goal: 'Set the temperature of a unit' })
  const second = await scan(daemon)
  expect(second).toMatchObject({ clusters_seen: 1, proposals_created: [], gate_failures: [] })
  const [cluster] = await listClusters(daemon)
  expect(cluster?.successful_trace_ids).toHaveLength(4)
  const kinds = daemon.events().map(({ kind }) => kind)
  expect(kinds).toContain('learn.mining.scanned')
  expect(kinds).toContain('learn.mining.cluster_changed')
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=learn.mining.cluster_built')
  expect(receipts.json()).toMatchObject({ total: 1, receipts: [{ actor: 'system' }] })
  await daemon.waitForProjections()
  expect(JSON.parse(daemon.readProjection('learning/trace_clusters_current.json') ?? '')).toMatchObject({
    clusters: [{ cluster_id: cluster?.cluster_id }],
  })
})

test('users see their own clusters and proposals; an admin sees all, decides for them and is named in receipts', async () => {
  const { daemon } = await startPhone()
  const agent = await daemon.tokenFor('agent')
  const stranger = await daemon.tokenFor('stranger')
  const facts = { goal: 'Set the temperature of a unit', project_id: 'house', token: agent }
  await repeatThreeTimes(daemon, facts)

  expect(await scan(daemon, stranger)).toMatchObject({ clusters_seen: 0, proposals_created: [] })
  const { proposals_created } = await scan(daemon, agent)
  const [proposal = ''] = proposals_created
  expect(await waitUntilSettled(daemon, proposal)).toBe('ready_for_review')
  const session = getProposal(daemon, proposal).learn_session_id ?? ''
  expect(await listClusters(daemon, stranger)).toEqual([])
  expect(await listClusters(daemon)).toMatchObject([{ owner_user_id: 'agent', proposal_id: proposal }])

  const paths = [`/api/learn/proposals/${proposal}/detail`, `/api/learn/sessions/${session}/detail`]
  for (const path of paths) {
    expect((await daemon.get(path, stranger)).statusCode).toBe(404)
    expect((await daemon.get(path, agent)).statusCode).toBe(200)
    expect((await daemon.get(path)).statusCode).toBe(200)
  }
  const rejected = await daemon.post(`/api/learn/proposals/${proposal}/reject`, { reason: 'No.' })
  expect(rejected.statusCode, rejected.body).toBe(200)
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=learn.proposal.rejected', agent)
  expect(receipts.json()).toMatchObject({ receipts: [{ actor: 'user', actor_ref: 'local' }] })
  expect((await scan(daemon)).proposals_created).toEqual([])
})
