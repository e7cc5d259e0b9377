import { listProposalRevisions, type ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { listValidationRuns } from '@apprentice/contracts/learn/validation.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { StateBadge, Time } from '../parts/basic.tsx'
import { DiffView } from '../parts/diff-view.tsx'
import { say } from '../text/say.ts'
import { sayReason } from './say-reason.ts'
import { formatName, t } from '../text/text.ts'

/** The revisions of a draft with their differences, and all test runs. */
export function DraftHistory({ detail }: { readonly detail: ProposalDetail }) {
  const params = { proposalId: detail.proposal.proposal_id }
  const key = `${params.proposalId}/${detail.revision}/${detail.latest_validation?.validation_run.completed_at ?? ''}`
  const revisions = useResource(`${key}/revisions`, () => call(listProposalRevisions, { params }))
  const runs = useResource(`${key}/runs`, () => call(listValidationRuns, { params }))
  return (
    <section class="part history-part">
      <h4>{t.teach.review.history}</h4>
      <ol class="plain">
        {(revisions.data.value?.revisions ?? []).map(({ revision, revision_instructions, diffs, created_at }) => (
          <li key={revision}>
            <b>{t.teach.review.revision(revision)}</b> <Time at={created_at} />{' '}
            {revision === 1 ? t.teach.review.firstDraft : revision_instructions}
            {diffs
              .filter(({ diff }) => diff !== '')
              .map(({ name, diff }) => (
                <details key={name}>
                  <summary>
                    {t.teach.review.difference(revision - 1)}: {name}
                  </summary>
                  <DiffView diff={diff} />
                </details>
              ))}
          </li>
        ))}
      </ol>
      <h4>{t.teach.review.allTests}</h4>
      <ul class="plain">
        {(runs.data.value?.runs ?? []).map((run) => (
          <li key={run.validation_run_id}>
            <details>
              <summary>
                {formatName(run.run_kind)}{' '}
                <StateBadge state={run.completed_at === undefined ? 'testing' : run.overall_result} />{' '}
                <Time at={run.started_at} />
              </summary>
              {run.reason !== undefined && <p>{sayReason(run.reason)}</p>}
              <ul>
                {(runs.data.value?.steps ?? [])
                  .filter((step) => step.validation_run_id === run.validation_run_id)
                  .map(({ test_case_id, label, result, details }) => (
                    <li key={test_case_id}>
                      {formatName(result)}: {say(label)}
                      {details !== undefined && ` (${say(details)})`}
                    </li>
                  ))}
              </ul>
            </details>
          </li>
        ))}
      </ul>
    </section>
  )
}
