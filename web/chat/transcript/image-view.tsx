const KINDS = /^image\/(?:png|jpeg|gif|webp)$/;

/** An image that came with the conversation. Kinds that can contain scripts are not shown. */
export function ImageView({
  data,
  mimeType,
  alt = 'Image',
}: {
  data: string;
  mimeType: string;
  alt?: string;
}) {
  if (!KINDS.test(mimeType)) return <p class="source">{`${alt} (${mimeType})`}</p>;
  return <img class="picture" src={`data:${mimeType};base64,${data}`} alt={alt} />;
}
