import { expect, test } from 'vitest'
import { openClassroom, ok } from '../teach/teaching.ts'
import { climate, notes, practise, settings } from './practising.ts'

test('tmp', async () => {
  const room = await openClassroom()
  const t = Date.now()
  for (const [goal, app] of [
    ['turn on dark theme', settings],
    ['set the temperature of the Kitchen to 22', climate],
    ['create a note saying "Buy candles"', notes],
    ['set screen timeout to 2 min', settings],
    ['open Battery', settings],
  ] as const) {
    const t0 = Date.now()
    const r = await practise(room.daemon, { goal, app })
    console.log(
      goal,
      Date.now() - t0,
      JSON.stringify([
        r.practice.outcome,
        r.practice.actions_used,
        r.practice.path,
        r.practice.closed_ways,
      ]),
      r.session.state,
    )
    if (r.practice.proposal_id) {
      const detail = await room.daemon.get(`/api/learn/proposals/${r.practice.proposal_id}`)
      const f = await room.daemon.get(
        `/api/learn/proposals/${r.practice.proposal_id}/files/recipe.json`,
      )
      console.log(f.body.slice(0, 3000))
      console.log(JSON.stringify(detail.json<any>().questions ?? detail.json()).slice(0, 800))
      const v = await room.daemon.post(`/api/learn/proposals/${r.practice.proposal_id}/validate`, {
        wait_ms: 60_000,
        schema_version: 1,
      })
      console.log(v.body.slice(0, 500))
      const inst = await room.daemon.post(
        `/api/learn/proposals/${r.practice.proposal_id}/install`,
        {},
      )
      console.log(inst.body.slice(0, 300))
      if (inst.statusCode >= 300)
        await room.daemon.post(`/api/learn/sessions/${r.session.learn_session_id}/cancel`, {})
    } else await room.daemon.post(`/api/learn/sessions/${r.session.learn_session_id}/cancel`, {})
  }
  console.log(Date.now() - t)
  expect(1).toBe(1)
}, 300000)
