import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { z } from 'zod'
import { listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { listScenes, type SceneEntry } from '@apprentice/contracts/scenes/scenes.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Empty, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { Facts } from '../parts/facts.tsx'
import { UsableBadge } from '../skills/skill-row.tsx'
import { further } from '../text/further.ts'
import { InstructionBox } from './instruction-box.tsx'

const POLL_MS = 10_000

/** The box for an instruction, the registered scenes, and the packages that were refused. */
export function SceneHome() {
  const instruction = useSignal('')
  const box = useRef<HTMLDivElement>(null)
  const { data, failure, reload } = useResource('scenes', readScenes, { pollMs: POLL_MS, changesWith: ['ability.'] })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={6} />
  const { scenes, refusals, roots, standings } = data.value
  const use = ({ include_keywords, params, suffix }: SceneEntry): void => {
    const words = [include_keywords[0], ...params.map(({ examples }) => examples[0])]
    instruction.value = words.filter((word) => word !== undefined).join(' ') + suffix
    box.current?.querySelector('textarea')?.focus()
  }
  return (
    <>
      <div ref={box}>
        <InstructionBox instruction={instruction} scenes={scenes} />
      </div>
      {scenes.length === 0 && (
        <Empty icon="scene" title={further.scenes.none}>
          <p>{further.scenes.noneHint}</p>
          {roots.map((root) => (
            <code key={root}>{root}</code>
          ))}
        </Empty>
      )}
      <ul class="rows scenes">
        {scenes.map((scene) => (
          <SceneRow
            key={scene.scene_id}
            scene={scene}
            standing={standings.get(scene.ability_id)}
            onUse={() => use(scene)}
          />
        ))}
      </ul>
      {refusals.length > 0 && (
        <section class="panel refusals">
          <h2>{further.scenes.refusals(refusals.length)}</h2>
          <p class="hint">{further.scenes.refusalsHint}</p>
          <ul class="plain lines">
            {refusals.map(({ root, manifest, file, key, reason }) => (
              <li key={`${root} ${manifest} ${file} ${key ?? ''} ${reason}`}>
                <code>{manifest}</code>
                <span class="error">
                  {file}
                  {key !== undefined && `, ${key}`}: {reason}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

type Standing = z.output<typeof listAvailability.reply>['abilities'][number]

/** The scenes, and whether their abilities can be used now. */
async function readScenes() {
  const [listed, { abilities }] = await Promise.all([call(listScenes, { query: {} }), call(listAvailability)])
  return { ...listed, standings: new Map(abilities.map((one) => [one.ability_id, one])) }
}

interface SceneRowProps {
  readonly scene: SceneEntry
  /** Unknown until the ability of a new scene is stored. */
  readonly standing: Standing | undefined
  readonly onUse: () => void
}

function SceneRow({ scene, standing, onUse }: SceneRowProps) {
  const { ability_id, title, description, version, expected_domain, include_keywords, params, warnings } = scene
  return (
    <li class="panel scene-row">
      <div class="server-head">
        <h2>
          <a href={`/skills/${encodeURIComponent(ability_id)}`}>{title}</a>
        </h2>
        <small>{further.scenes.version(version)}</small>
        {standing !== undefined && <UsableBadge ability={standing} />}
        {warnings.length > 0 && (
          <Badge tone="busy" icon="alert">
            {further.scenes.warnings}
          </Badge>
        )}
        <span class="spacer" />
        <button type="button" class="small" aria-label={further.scenes.useOf(title)} onClick={onUse}>
          {further.scenes.use}
        </button>
      </div>
      {description !== '' && <p translate={false}>{description}</p>}
      <Facts
        facts={[
          [further.scenes.domain, expected_domain],
          [further.scenes.keywords, include_keywords.join(', ')],
          [further.scenes.params, params.length > 0 && <Params params={params} />],
          [
            further.scenes.warnings,
            warnings.map(({ file, key, reason }) => `${file} ${key ?? ''}: ${reason}`).join('\n'),
          ],
        ]}
      />
    </li>
  )
}

const Params = ({ params }: Pick<SceneEntry, 'params'>) => (
  <ul class="plain">
    {params.map(({ name, required, examples }) => (
      <li key={name}>
        <code>{name}</code>
        {!required && ` (${further.scenes.optional})`}
        {examples.length > 0 && (
          <small>
            {' '}
            {further.scenes.examples} {examples.slice(0, 3).join(', ')}
          </small>
        )}
      </li>
    ))}
  </ul>
)
