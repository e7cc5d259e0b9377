import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

const NAMESPACES =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'

export interface WordParts {
  readonly document: string
  readonly comments?: string
}

const DOCUMENT = `<w:document ${NAMESPACES}><w:body>
<w:p><w:r><w:t>The roof</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve"> is &lt;red&gt;.</w:t></w:r></w:p>
<w:p><w:del><w:r><w:delText>Deleted words.</w:delText></w:r></w:del><w:r><w:t>It leaks.</w:t></w:r></w:p>
<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>Drawn once.</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>Drawn once.</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>
</w:body></w:document>`

const COMMENTS = `<w:comments ${NAMESPACES}>
<w:comment w:id="0" w:author="Ben" w:date="2026-02-05T09:00:00Z"><w:p><w:r><w:t>Which red?</w:t></w:r></w:p></w:comment>
<w:comment w:id="1" w:author="Cleo"><w:p><w:r><w:t>Since when?</w:t></w:r></w:p></w:comment>
</w:comments>`

/** A Word file with a text of three paragraphs and two comments. */
export function buildWordFile(
  { document, comments }: WordParts = { document: DOCUMENT, comments: COMMENTS },
): Promise<Buffer> {
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from('<Types/>'), '[Content_Types].xml')
  zip.addBuffer(Buffer.from(document), 'word/document.xml')
  if (comments !== undefined) zip.addBuffer(Buffer.from(comments), 'word/comments.xml')
  zip.end()
  return buffer(zip.outputStream)
}
