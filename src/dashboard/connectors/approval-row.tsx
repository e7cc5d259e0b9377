import { useSignal } from '@preact/signals'
import { approveAskFirst, type AskFirstRecord, denyAskFirst } from '@apprentice/contracts/connectors/ask-first.ts'
import { attempt } from '../app/notices.tsx'
import { isAdmin } from '../app/privilege.ts'
import { call } from '../api/client.ts'
import { Badge, Field, Time } from '../parts/basic.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Countdown } from '../parts/countdown.tsx'
import { Facts } from '../parts/facts.tsx'
import { say } from '../text/say.ts'
import { further } from '../text/further.ts'
import { formatName } from '../text/text.ts'
import { reloadApprovals } from './approval-list.ts'

const APPROVALS = ['approve_once', 'approve_until_end_of_turn', 'approve_for_session'] as const
/** The classes of documents have names; servers may have classes of their own. */
const DATA_CLASSES: Readonly<Record<string, string>> = further.documents.dataClasses
type Decision = (typeof APPROVALS)[number] | 'deny'

interface ApprovalRowProps {
  readonly record: AskFirstRecord
  readonly serverName: string
  readonly onDecided: (record: AskFirstRecord) => void
}

/** One call: what is asked for and why, how long it waits, and the four decisions. */
export function ApprovalRow({ record, serverName, onDecided }: ApprovalRowProps) {
  const { status, request_summary, provider, tool_name, action_class, expires_at, created_at } = record
  const isPending = status === 'pending'
  return (
    <li class={isPending ? 'panel approval' : 'panel approval off'}>
      <div class="approval-head">
        <h2>{say(request_summary)}</h2>
        {isPending ? (
          <Badge tone="busy" icon="hand">
            {further.approvals.expiresIn} <Countdown until={expires_at} />
          </Badge>
        ) : (
          <Badge icon="clock">{further.approvals.states[status]}</Badge>
        )}
      </div>
      <Facts
        facts={[
          [further.approvals.tool, `${further.connectors.providers[provider]} · ${serverName} · ${tool_name}`],
          [further.approvals.class, further.connectorHealth.classes[action_class]],
          [
            further.approvals.dataClass,
            record.data_class !== undefined && (DATA_CLASSES[record.data_class] ?? formatName(record.data_class)),
          ],
          [further.approvals.why, record.why_needed ?? further.approvals.noWhy],
          [further.approvals.project, record.project_id],
          [further.approvals.asked, <Time key="asked" at={created_at} />],
          [
            further.approvals.correlation,
            <>
              <code>{record.correlation_id}</code>{' '}
              <CopyButton text={record.correlation_id} name={further.approvals.correlation} />
            </>,
          ],
        ]}
      />
      {isPending ? (
        <Decisions record={record} onDecided={onDecided} />
      ) : (
        status === 'expired' && <p class="hint">{further.approvals.expired}</p>
      )}
    </li>
  )
}

function Decisions({ record, onDecided }: Pick<ApprovalRowProps, 'record' | 'onDecided'>) {
  const note = useSignal('')
  const isBusy = useSignal(false)
  const decide = async (decision: Decision): Promise<void> => {
    isBusy.value = true
    await attempt(
      async () => onDecided(await sendDecision(record.dispatch_id, decision, note.value.trim())),
      reloadApprovals,
    )
    isBusy.value = false
  }
  return (
    <>
      {isAdmin.value && (
        <Field label={further.approvals.note}>
          <input
            maxLength={500}
            value={note.value}
            onInput={({ currentTarget }) => (note.value = currentTarget.value)}
          />
        </Field>
      )}
      <div class="buttons decide" role="group" aria-label={further.approvals.decisionsOf(say(record.request_summary))}>
        <DecisionButton decision="deny" record={record} isBusy={isBusy.value} onDecide={decide} />
        <span class="spacer" />
        {APPROVALS.toReversed().map((decision) => (
          <DecisionButton key={decision} decision={decision} record={record} isBusy={isBusy.value} onDecide={decide} />
        ))}
      </div>
    </>
  )
}

interface DecisionButtonProps {
  readonly decision: Decision
  readonly record: AskFirstRecord
  readonly isBusy: boolean
  readonly onDecide: (decision: Decision) => Promise<void>
}

function DecisionButton({ decision, record, isBusy, onDecide }: DecisionButtonProps) {
  const refusal = findRefusal(decision, record)
  const look = { deny: 'danger', approve_once: 'primary' }[decision as string] ?? ''
  return (
    <button
      type="button"
      class={look}
      disabled={isBusy || refusal !== undefined}
      title={refusal ?? further.approvals.scopes[decision]}
      onClick={() => void onDecide(decision)}
    >
      {further.approvals.decisions[decision]}
    </button>
  )
}

/** Why a decision cannot be made here. A scope must be named by the call. */
function findRefusal(decision: Decision, { turn_ref, session_ref }: AskFirstRecord): string | undefined {
  if (!isAdmin.value) return further.approvals.adminOnly
  if (decision === 'approve_until_end_of_turn' && turn_ref === undefined) return further.approvals.noTurn
  return decision === 'approve_for_session' && session_ref === undefined ? further.approvals.noSession : undefined
}

async function sendDecision(dispatchId: string, decision: Decision, note: string): Promise<AskFirstRecord> {
  const params = { dispatchId }
  const reason = note === '' ? {} : { reason: note }
  const { dispatch } =
    decision === 'deny'
      ? await call(denyAskFirst, { params, body: { decision, ...reason } })
      : await call(approveAskFirst, { params, body: { decision, ...reason } })
  return dispatch
}
