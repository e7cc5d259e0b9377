import { isWordDocument } from '../../../knowledge/m365/drive-items.ts'
import { clip } from '../../../knowledge/m365/values.ts'
import { type DocxParts, LARGEST_DOCX, readDocx } from '../docx-file.ts'
import { getDownloadUrl, getItem } from './files.ts'
import { type Operation, type OperationDeps, refuseRequest } from './operation.ts'

export const fetchContent: Operation<'word_fetch_content'> = async (request, deps) => {
  const { include_comments } = request
  const { document_ref, file_name, parts } = await fetchDocument(request.document_ref, deps, {
    text: true,
    comments: include_comments,
  })
  const pieces = [Buffer.from(parts.text ?? '', 'utf8')]
  const facts = { file_name: `${file_name.slice(0, 236)}.txt`, media_type: 'text/plain; charset=utf-8' }
  const content_ref = await deps.saveContent(pieces, facts)
  const comment_count = parts.comments.length
  return { result: { operation_family: 'word_fetch_content', document_ref, content_ref, comment_count } }
}

export const fetchComments: Operation<'word_fetch_comments'> = async (request, deps) => {
  const wanted = { text: false, comments: true }
  const { document_ref, parts } = await fetchDocument(request.document_ref, deps, wanted)
  const comments = parts.comments.slice(0, request.max_results)
  return { result: { operation_family: 'word_fetch_comments', document_ref, comments } }
}

async function fetchDocument(
  ref: string,
  deps: OperationDeps,
  wanted: { readonly text: boolean; readonly comments: boolean },
): Promise<{ readonly document_ref: string; readonly file_name: string; readonly parts: DocxParts }> {
  const { item, document_ref } = await getItem(ref, deps)
  const url = getDownloadUrl(item)
  if (!isWordDocument(item)) throw refuseRequest('document_ref', 'it does not name a Word document')
  const pieces: Buffer[] = []
  for await (const piece of deps.graph.download(url, LARGEST_DOCX)) pieces.push(piece)
  const parts = await readDocx(Buffer.concat(pieces), wanted)
  return { document_ref, file_name: clip(item.name) || item.id, parts }
}
