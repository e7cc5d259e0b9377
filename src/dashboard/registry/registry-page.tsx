import { useSignal } from '@preact/signals'
import { listSkills, searchSkills } from '@apprentice/contracts/skills/registry.ts'
import { writeSkillIndexes } from '@apprentice/contracts/skills/validate.ts'
import { attempt, notify } from '../app/notices.tsx'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { SkillTabs } from '../skills/skill-tabs.tsx'
import { t } from '../text/text.ts'
import { RegistrySkill } from './registry-skill.tsx'

const LISTED = 200

/** The skills in the folders of the registry: search, validate, run. */
export function RegistryPage({ id }: { readonly id?: string }) {
  useTitle(t.skills.tabs.registry)
  const words = useSignal('')
  const keyword = words.value.trim()
  const { data, failure, reload } = useResource(`registry/${keyword}`, () => readSkills(keyword), {
    changesWith: ['skill.', 'ability.'],
  })
  return (
    <>
      <h1>{t.nav.skills}</h1>
      <SkillTabs open="registry" />
      <div class="toolbar">
        <input
          type="search"
          placeholder={t.registry.search}
          aria-label={t.registry.search}
          maxLength={200}
          value={words.value}
          onInput={({ currentTarget }) => (words.value = currentTarget.value)}
        />
        {data.value !== undefined && <small role="status">{t.registry.count(data.value.count)}</small>}
      </div>
      {failure.value !== undefined && <ReadFailure message={failure.value} onRetry={() => void reload()} />}
      {data.value === undefined && failure.value === undefined && <Skeleton />}
      {data.value?.count === 0 && (
        <Empty icon="book" title={keyword === '' ? t.registry.none : t.registry.noMatch}>
          <a class="button" href="/learn/new">
            {t.skills.teachOne}
          </a>
        </Empty>
      )}
      <ul class="rows registry">
        {data.value?.skills.map((skill) => (
          <li key={skill.id} class="panel">
            <a
              href={`/registry/${encodeURIComponent(skill.id)}`}
              aria-current={skill.id === decodeURIComponent(id ?? '') ? 'true' : undefined}
            >
              <strong>{skill.summary}</strong>
            </a>
            <small>{skill.id}</small>
            {skill.id === decodeURIComponent(id ?? '') && <RegistrySkill skillId={skill.id} />}
          </li>
        ))}
      </ul>
      <Roots />
    </>
  )
}

async function readSkills(keyword: string) {
  if (keyword === '') return call(listSkills, { query: { page_size: LISTED } })
  return call(searchSkills, { query: { keyword, limit: LISTED } })
}

/** The folders that were read, and entries that cannot be used. */
function Roots() {
  const { data, reload } = useResource('roots', () => call(listSkills, { query: { page_size: 1 } }), {
    changesWith: ['skill.'],
  })
  if (data.value === undefined) return null
  const { roots, problems } = data.value
  const rebuild = (root: string) =>
    attempt(async () => {
      const { totalSkills } = await call(writeSkillIndexes, { body: { root, skip_broken: true } })
      notify(t.registry.rebuilt(totalSkills))
    }, reload)
  return (
    <section class="panel">
      <h2>{t.registry.roots}</h2>
      <ul class="plain">
        {roots.map(({ root, count, problem }) => (
          <li key={root}>
            <code>{root}</code> <small>{t.registry.count(count)}</small>{' '}
            {problem !== undefined && <small class="error">{problem}</small>}{' '}
            <button type="button" class="small" onClick={() => void rebuild(root)}>
              {t.registry.rebuild}
            </button>
          </li>
        ))}
      </ul>
      {problems.length > 0 && (
        <>
          <h3>{t.registry.problems}</h3>
          <ul class="plain">
            {problems.map(({ root, position, skill_id, reason }) => (
              <li key={`${root}/${position}`}>
                <code>{skill_id ?? position}</code> {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
