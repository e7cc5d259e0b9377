import { stringify } from 'smol-toml'
import type { BoundParam } from '../draft/bind-params.ts'
import { formatExample, type SceneDraft } from '../draft/draft.ts'

/** `scene.toml`, as an object and as text. */
export function buildManifest(draft: SceneDraft): Record<string, unknown> {
  const { id, tool, version, routing, target_url = '', params, fixed, answers } = draft
  const domain = URL.canParse(target_url) ? new URL(target_url).hostname : ''
  return {
    manifest: { schema_version: '1' },
    scene: {
      id,
      skill: id,
      tool,
      kind: 'browser_script',
      version,
      category: 'report_collection',
      ...(routing.title === '' ? {} : { title: routing.title }),
    },
    bootstrap: {
      expected_domain: domain,
      target_url,
      page_title_keywords: [...routing.page_title_keywords],
      requires_target_page: true,
      ...(answers.stand_in ? { stand_in: 'stand-in' } : {}),
    },
    deterministic: {
      suffix: fixed.suffix,
      include_keywords: [...routing.include_keywords],
      exclude_keywords: [...routing.exclude_keywords],
    },
    ...(params.length === 0 ? {} : { params: params.map((param) => buildParam(param, draft)) }),
    artifact: {
      type: 'report-artifact',
      success_status: [...fixed.success_status],
      failure_status: [...fixed.failure_status],
    },
    postprocess: { exporter: fixed.exporter, auto_open: fixed.auto_open },
  }
}

const MAX_PROMPT_PART = 100

function buildParam({ name, resolver, config, ...param }: BoundParam, { routing }: SceneDraft): object {
  const { is_chinese } = routing
  const [title, label, example] = [routing.title, param.label, param.example].map((one) =>
    one.slice(0, MAX_PROMPT_PART),
  )
  return {
    name,
    resolver,
    required: true,
    prompt_missing: is_chinese
      ? `已命中${title},但缺少${label},例如 ${example}。`
      : `${title} needs ${label}, such as ${example}.`,
    prompt_ambiguous: is_chinese
      ? `已命中${title},但${label}存在歧义,请补充更明确表达。`
      : `${label} is ambiguous for ${title}. Name one, such as ${example}.`,
    ...(Object.keys(config).length === 0 ? {} : { resolver_config: config }),
  }
}

export const formatToml = (document: Record<string, unknown>): string => `${stringify(document).trimEnd()}\n`

export function buildTools({ id, tool, version, routing, params }: SceneDraft): Record<string, unknown> {
  const args = Object.fromEntries(
    params.flatMap(({ example_args, label }) => Object.keys(example_args).map((name) => [name, label])),
  )
  const description = routing.title === '' ? id : routing.title
  return {
    skill: { name: id, version, description },
    tools: [
      {
        name: tool,
        description: `Collects the report: ${description}`,
        kind: 'browser_script',
        command: `scripts/${tool}.js`,
        ...(Object.keys(args).length === 0 ? {} : { args }),
      },
    ],
  }
}

export function formatSkillDocument(draft: SceneDraft): string {
  const { id, routing, params, source } = draft
  const title = routing.title === '' ? id : routing.title
  const inputs = params.map(({ label, example }) => `- ${label}, such as \`${example}\``)
  const columns = source?.columns.map(({ label }) => label).join(', ') ?? 'not known yet'
  return `---
name: ${id}
description: ${JSON.stringify(`Collects the report "${title}". Use it when someone asks for ${routing.include_keywords.join(' or ')}.`)}
---

# ${title}

An instruction ends with \`${draft.fixed.suffix}\`, for example \`${formatExample(draft)}\`.
${inputs.length === 0 ? 'It has no inputs.' : 'It names each of these; nothing is taken from what the page shows at first:'}

${inputs.join('\n')}

The columns of the report: ${columns}. How it is collected is in \`references/collection-flow.md\`, what is known about the
data in \`references/data-quality.md\`.
`
}
