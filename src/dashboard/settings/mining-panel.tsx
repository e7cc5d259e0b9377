import { useSignal } from '@preact/signals'
import {
  getMiningSettings,
  listTraceClusters,
  MiningMode,
  type MiningSettingsChange,
  putMiningSettings,
  scanForWorkflows,
  type SkillMiningSettings,
} from '@apprentice/contracts/learn/mining.ts'
import { attempt, notify } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Field, Skeleton } from '../parts/basic.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { t } from '../text/text.ts'

/** Whether and how past runs are searched for repeated workflows. */
export function MiningPanel({ isAdmin }: { readonly isAdmin: boolean }) {
  const { data, reload } = useResource('mining', () => call(getMiningSettings), { changesWith: ['learn.mining'] })
  const settings = data.value
  if (settings === undefined) return <Skeleton />
  const change = async (body: MiningSettingsChange): Promise<void> => {
    if (await attempt(() => call(putMiningSettings, { body }), reload)) notify(t.settings.saved)
  }
  return (
    <>
      <section class="panel">
        {!isAdmin && <p class="hint">{t.settings.adminOnly}</p>}
        <fieldset class="bare" disabled={!isAdmin}>
          <Switches settings={settings} change={change} />
        </fieldset>
      </section>
      <Clusters isOff={settings.mode === 'off'} />
    </>
  )
}

interface SwitchesProps {
  readonly settings: SkillMiningSettings
  readonly change: (body: MiningSettingsChange) => Promise<void>
}

const FLAGS = [
  ['observe_inside_elnor', 'inside'],
  ['require_user_feedback_before_build_when_ambiguous', 'askAmbiguous'],
  ['require_tests_before_proposal', 'requireTests'],
] as const
const NUMBERS = [
  ['min_successful_traces', 'minTraces', 1, 1000],
  ['max_proposals_per_scan', 'maxProposals', 0, 100],
] as const

function Switches({ settings, change }: SwitchesProps) {
  const asking = useSignal(false)
  return (
    <>
      <Field label={t.settings.mode}>
        <select
          value={settings.mode}
          onChange={({ currentTarget }) => void change({ mode: MiningMode.parse(currentTarget.value) })}
        >
          {MiningMode.options.map((name) => (
            <option key={name} value={name}>
              {t.settings.modes[name]}
            </option>
          ))}
        </select>
      </Field>
      {FLAGS.map(([name, label]) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={settings[name]}
            onChange={({ currentTarget }) => void change({ [name]: currentTarget.checked })}
          />{' '}
          {t.settings[label]}
        </label>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={settings.observe_outside_elnor}
          onChange={({ currentTarget }) => {
            if (currentTarget.checked) asking.value = true
            else void change({ observe_outside_elnor: false })
            currentTarget.checked = settings.observe_outside_elnor
          }}
        />{' '}
        {t.settings.outside}
      </label>
      {NUMBERS.map(([name, label, min, max]) => (
        <Field key={name} label={t.settings[label]}>
          <input
            type="number"
            min={min}
            max={max}
            value={settings[name]}
            onChange={({ currentTarget }) =>
              currentTarget.reportValidity() && void change({ [name]: currentTarget.valueAsNumber })
            }
          />
        </Field>
      ))}
      {asking.value && (
        <Confirm
          title={t.settings.outsideTitle}
          text={t.settings.outsideText}
          action={t.settings.outsideConfirm}
          onConfirm={() => void change({ observe_outside_elnor: true, confirm_observe_outside: true })}
          onClose={() => (asking.value = false)}
        />
      )}
    </>
  )
}

function Clusters({ isOff }: { readonly isOff: boolean }) {
  const { data, reload } = useResource('clusters', () => call(listTraceClusters, { query: {} }), {
    changesWith: ['learn.mining', 'learn.proposal'],
  })
  const scan = () =>
    attempt(async () => {
      const { clusters_seen, proposals_created } = await call(scanForWorkflows, { body: {} })
      notify(t.settings.scanned(clusters_seen, proposals_created.length))
    }, reload)
  const clusters = data.value?.clusters
  return (
    <section class="panel">
      <h2>{t.settings.clusters}</h2>
      {clusters?.length === 0 && <p class="hint">{t.settings.noClusters}</p>}
      <ul class="plain lines">
        {clusters?.map((cluster) => (
          <li key={cluster.cluster_id}>
            <strong>{cluster.suggested_name ?? cluster.normalized_goal}</strong> <Badge>{cluster.app_family}</Badge>
            <small>
              {t.settings.clusterRuns(cluster.successful_trace_ids.length, cluster.failed_trace_ids.length)}
            </small>
            {cluster.proposal_id !== undefined && (
              <a href={`/learn/pending/${cluster.proposal_id}`}>{t.settings.openProposal}</a>
            )}
          </li>
        ))}
      </ul>
      <button type="button" disabled={isOff} onClick={() => void scan()}>
        {t.settings.scanNow}
      </button>
    </section>
  )
}
