import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { FAILURES } from '@apprentice/contracts/base/failures.ts'
import { buildOpenApiDocument } from '@apprentice/contracts/openapi.ts'
import { openApiFile } from '../routes/docs.ts'
import { version } from '../config/version.ts'

export const failuresFile = join(dirname(openApiFile), 'failures.md')

const FAILURES_INTRODUCTION = `# Failures

Every failure reply has the body \`{ "error": { "code", "message", "retryable", "correlation_id"?, "details"? } }\`. A code
is never renamed. \`retryable\` means that the same request may succeed later without changes.

This file is generated from \`contracts/base/failures.ts\` by \`npm run openapi\`.
`

export const formatOpenApi = (): string => `${JSON.stringify(buildOpenApiDocument(version), null, 2)}\n`

/** The failure catalogue as a Markdown table. */
export function formatFailures(): string {
  const rows = Object.entries(FAILURES).map(
    ([code, { status, retryable, meaning }]) =>
      `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${meaning} |`,
  )
  const header = ['| code | status | retryable | meaning |', '|---|---|---|---|']
  return `${FAILURES_INTRODUCTION}\n${[...header, ...rows].join('\n')}\n`
}

export function addOpenApiCommand(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .option('--write', 'write openapi/openapi.json and openapi/failures.md instead')
    .option('--json', 'print JSON, as without this option')
    .action(({ write }: { write?: boolean }) => {
      if (write === true) {
        writeFileSync(openApiFile, formatOpenApi())
        writeFileSync(failuresFile, formatFailures())
      } else process.stdout.write(formatOpenApi())
    })
}
