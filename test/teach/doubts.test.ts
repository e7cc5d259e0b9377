import { expect, test } from 'vitest'
import { ok, open, startTeaching } from './teaching.ts'

const CLIMATE = 'org.apprentice.climate'

interface Drafted {
  readonly proposal_id: string
  readonly session: { readonly state: string }
}
interface Detail {
  readonly session: { readonly state: string }
  readonly questions: { question_id: string; field: string; question_text: string }[]
}

test('if no screen proves a result, the success condition is asked before a draft is made', async () => {
  const setup = await startTeaching()
  const { daemon } = setup
  const sessionId = await setup.demonstrate({
    goal: 'Look after the units',
    show: async ({ act }) => {
      await act(open(CLIMATE))
    },
  })
  const url = `/api/learn/sessions/${sessionId}`
  const { proposal_id } = await ok<Drafted>(daemon, `${url}/generate-proposal`)
  const before = (await daemon.get(`${url}/detail`)).json<Detail>()
  expect(before.session.state).toBe('awaiting_questions')
  expect(before.questions).toMatchObject([
    {
      field: 'success_condition',
      question_text: expect.stringMatching(/^\S.+\. How can one see that it worked\?$/),
    },
  ])
  const files = (await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).json<object>()
  expect(files).not.toHaveProperty('recipe')

  const [question = expect.fail('no question')] = before.questions
  const answer = { question_id: question.question_id, answer_text: 'The list shows every unit' }
  const answered = await ok<{ next_action: string }>(daemon, `${url}/answer-questions`, {
    answers: [answer],
  })
  expect(answered.next_action).toBe('generate_proposal')
  const after = (await daemon.get(`${url}/detail`)).json<Detail>()
  expect(after.session.state).not.toBe('awaiting_questions')
  const document = (await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).body
  expect(document).toContain('The list shows every unit')
})
