import { expect, test } from 'vitest'
import type { ProposalDetail } from '../../contracts/learn/proposal-review.ts'
import { findProposal } from '../../src/store/proposals.ts'
import { listRuns } from '../../src/store/validation-runs.ts'
import type { Daemon } from '../harness.ts'
import { climate, clustersOf, onPhone, repeatThreeTimes, scan, temperatures } from './climate.ts'

/** The tests of a proposal are over. */
async function tested(daemon: Daemon, proposal: string): Promise<string> {
  const stateOf = () =>
    daemon.system.store.read((reader) => findProposal(reader, proposal)?.proposal_state ?? '')
  await expect.poll(stateOf, { timeout: 20_000 }).not.toMatch(/^(draft|testing)$/)
  return stateOf()
}

test('a workflow that was done three times is drafted, tested and waits for its person to decide', async () => {
  const { daemon, phone } = await onPhone()
  const executions = await repeatThreeTimes(daemon)
  expect(temperatures(phone)).toMatchObject({ Reception: 23.5, Lobby: 21.5, Kitchen: 21.5 })

  const result = await scan(daemon)
  const clusters = await clustersOf(daemon)
  expect(result, JSON.stringify(clusters)).toMatchObject({
    clusters_seen: 1,
    proposals_created: [expect.any(String)],
    gate_failures: [],
    build_failures: [],
  })
  const [proposal = ''] = result.proposals_created
  expect(clusters).toMatchObject([
    {
      app_family: climate,
      normalized_goal: 'set the temperature of a unit',
      source_mode: 'elnor_observed',
      successful_trace_ids: executions,
      failed_trace_ids: [],
      verification_coverage_score: 1,
      project_specificity: 'project_scoped',
      proposal_id: proposal,
      owner_user_id: 'local',
    },
  ])
  expect(await tested(daemon, proposal)).toBe('ready_for_review')

  const detail = (await daemon.get(`/api/learn/proposals/${proposal}/detail`)).json<ProposalDetail>()
  expect(detail.proposal.title).toBe('Set the temperature of a unit')
  expect(detail.proposal.source_trace_ids).toEqual(executions)
  expect(detail.recipe).toBeDefined()
  const { runs } = daemon.system.store.read((reader) =>
    listRuns(reader, proposal, { page: 1, page_size: 10 }),
  )
  expect(runs).toMatchObject([{ overall_result: expect.stringMatching(/passed|partial/) }])
  expect(daemon.session(detail.proposal.learn_session_id ?? '')).toMatchObject({
    owner_user_id: 'system:miner',
    reviewer_user_id: 'local',
    entry_mode: 'autonomous_agent_practice',
    actor_mode: 'agent_driven',
    state: 'ready_for_review',
  })
})
