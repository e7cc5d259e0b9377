import { stringify } from 'yaml'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'

/** Formats a recipe as Markdown. Parsing the text gives the same recipe. */
export function formatMarkdown({ steps, ...fields }: Recipe): string {
  const sections = steps.map((step, at) =>
    [`## Step ${at + 1}: ${step.id}`, '', ...addFences(formatYaml(step))].join('\n'),
  )
  return [`---\n${formatYaml(fields)}---`, `# ${fields.recipe_id}`, ...sections].join('\n\n') + '\n'
}

/** Without folded or block strings, so that no string can end a block or the front matter. */
function formatYaml(value: object): string {
  return stringify(value, {
    version: '1.2',
    schema: 'core',
    aliasDuplicateObjects: false,
    blockQuote: false,
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  })
}

function addFences(yaml: string): string[] {
  return ['```yaml', yaml.trimEnd(), '```']
}
